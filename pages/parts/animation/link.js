// The stage in the page's link: what this browser and the server last agreed on.
//
// The browser tells the server where it stopped and goes on at once; the server answers later, and
// by then the browser may have stopped elsewhere. So stops are counted, and an answer that does not
// know of the last one yet asks for nothing.

function makeLink() {
  let known = null; // the stage's name in the link
  let stops = 0; // told by this browser
  let heard = 0; // known to the server
  let send = () => {};

  return {
    // Whether the server asks for another stage: by the link, or by a widget of the page.
    hear({ asked, told }, tell) {
      send = tell;
      if (known === null || told < heard) stops = told; // just opened, or the server began anew
      heard = told;
      if (told < stops) return false;
      const isNew = asked !== known;
      known = asked;
      return isNew;
    },
    tell(stage) {
      if (stage === known) return;
      known = stage;
      stops += 1;
      send({ stage, told: stops });
    },
  };
}
