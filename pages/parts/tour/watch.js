// Tells the server whether a tour plays in this tab: only then is the bar sent. A tour begins by a
// load, so that to look once is enough.

function playsHere() {
  try {
    if (window.sessionStorage?.getItem("mha_tour_at")) return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  return window.name.includes("mha_tour_at");
}

export default function ({ data, setStateValue }) {
  if (!data.plays && playsHere()) setStateValue("plays", true);
}
