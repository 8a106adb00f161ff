// What may be in a tour, and where its links lead. Files and the browser's storage come from
// anywhere: each is checked whole before anything of it is used.

const MOST_STOPS = 100;
const MOST_BYTES = 512 * 1024; // more than any tour within the other bounds takes
const LONGEST_QUERY = 2000;
const LONGEST_NOTE = 200;
const MODES = ["present"]; // how the app is shown goes on from stop to stop

const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u; // no part of a line of text

class Fault extends Error {}

function seen(text) {
  return text.replace(new RegExp(UNSEEN, "gu"), " ");
}

function shown(value) {
  const text = JSON.stringify(value) ?? String(value);
  const characters = [...seen(text)];
  return characters.length > 60 ? `${characters.slice(0, 60).join("")}…` : characters.join("");
}

// The page that a link leads to, out of those that there are, and its query.
function partsOf(link, pages) {
  const parts = typeof link === "string" && /^\/(\w*)(?:\?([^\s#]*))?$/.exec(link);
  const page = parts && !UNSEEN.test(link) && pages.find(({ path }) => path === parts[1]);
  if (!page) {
    throw new Fault(
      "link must be a page of this app and its query, such as /split_merge?heads=8; " +
        `got link=${shown(link)}`,
    );
  }
  const query = parts[2] ?? "";
  if (query.length > LONGEST_QUERY) {
    throw new Fault(
      `link must have a query of at most ${LONGEST_QUERY.toLocaleString("en")} characters; ` +
        `got ${query.length.toLocaleString("en")}`,
    );
  }
  return { page, query };
}

// The page's title, and the step that the link opens it at.
function titleOf({ link }, pages) {
  const { page, query } = partsOf(link, pages);
  const step = [...new URLSearchParams(query)].find(([key]) => /step$|^(at|stage)$/.test(key));
  return step?.[1] ? `${page.title}: ${step[1]}` : page.title;
}

// What is pasted may bring marks along that nobody sees.
function oneLine(text) {
  return text.replace(/\s+/g, " ").replace(new RegExp(UNSEEN, "gu"), "").trim();
}

function checkNote(note) {
  if (typeof note !== "string" || UNSEEN.test(note)) {
    throw new Fault(`note must be one line of plain text; got note=${shown(note)}`);
  }
  if ([...note].length > LONGEST_NOTE) {
    throw new Fault(
      `note must have at most ${LONGEST_NOTE} characters; got ${[...note].length}`,
    );
  }
}

function checkStop(stop, pages) {
  const names = stop !== null && typeof stop === "object" ? Object.keys(stop).sort() : [];
  if (names.join() !== "link,note") {
    throw new Fault(`a stop must be {"link": …, "note": …} and no more; got ${shown(stop)}`);
  }
  partsOf(stop.link, pages);
  checkNote(stop.note);
}

function checkTour(stops, pages) {
  if (!Array.isArray(stops)) throw new Fault(`A tour must be a list of stops; got ${shown(stops)}`);
  if (stops.length < 1 || stops.length > MOST_STOPS) {
    throw new Fault(`A tour must have 1 to ${MOST_STOPS} stops; got ${stops.length}`);
  }
  stops.forEach((stop, at) => {
    try {
      checkStop(stop, pages);
    } catch (fault) {
      throw fault instanceof Fault ? new Fault(`Stop ${at + 1}: ${fault.message}`) : fault;
    }
  });
  return stops;
}

function parseTour(text, pages) {
  let stops;
  try {
    stops = JSON.parse(text);
  } catch (error) {
    throw new Fault(`A tour must be a JSON file; ${error.message}`);
  }
  return checkTour(stops, pages);
}

async function readTour(file, pages) {
  if (file.size > MOST_BYTES) {
    throw new Fault(
      `A tour must be a file of at most ${MOST_BYTES.toLocaleString("en")} bytes; ` +
        `got ${file.size.toLocaleString("en")}`,
    );
  }
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    throw new Fault(`A tour must be a text file in UTF-8; ${error.message}`);
  }
  return parseTour(text, pages);
}

function writeTour(stops) {
  const tour = stops.map(({ link, note }) => ({ link, note }));
  return `${JSON.stringify(tour, null, 2)}\n`;
}

// The stops as plain text, to print or to send: title, note and address of each.
function handOut(stops, pages) {
  const written = stops.map((stop, at) =>
    [
      `${at + 1}. ${oneLine(seen(titleOf(stop, pages)))}`,
      ...(stop.note ? [stop.note] : []),
      addressOf(stop.link, pages, []).href,
    ].join("\n   "),
  );
  return `${written.join("\n\n")}\n`;
}

// The address of a stop. Its page is one of ours, below where the app is served; nothing of the
// link's text can be another host or another scheme.
function addressOf(link, pages, modes = MODES) {
  const { page, query } = partsOf(link, pages);
  const here = location.pathname.replace(/\/+$/, "");
  const now = pages.find(({ path }) => path && here.endsWith(`/${path}`));
  const root = now ? here.slice(0, -now.path.length - 1) : here;
  const address = new URL(`${root}/${page.path}`, location.origin);
  address.search = query;
  const asked = new URLSearchParams(location.search);
  for (const mode of modes) {
    if (asked.has(mode)) address.searchParams.set(mode, asked.get(mode));
  }
  return address;
}
