// The list of stops: changed, saved as a file, loaded from one, and played.

function makeEditor(root, { pages, lesson }) {
  let own = null; // the visitor's tour; while there is none, the lesson's stops are shown
  let undo; // what an action replaced; undefined while there is nothing to undo
  const stops = () => own ?? lesson;

  const press = (text, onclick, more = {}) =>
    make("button", { type: "button", text, onclick, ...more });
  const start = press("Start the tour", () => play(0), { className: "main" });
  const file = make("input", { type: "file", accept: ".json,application/json", hidden: true });
  const useLesson = press("Use the whole lesson", () => change(null, "This is the whole lesson."));
  const tools = make(
    "div",
    { className: "tools" },
    start,
    press("Save as a file", () => save("tour.json", "application/json", writeTour(stops()))),
    press("Save as a hand-out", () => save("tour.txt", "text/plain", handOut(stops(), pages))),
    press("Load a file…", () => file.click()),
    file,
    useLesson,
  );
  const told = make("p", { className: "told", role: "status" });
  const back = press("Undo", () => {
    change(undo, "Undone.");
    undo = undefined;
    back.hidden = true;
    start.focus();
  });
  const list = make("ol");
  const beginDrag = makeDrag(list, move);
  let drawn = null; // the links of the rows
  const whose = make("p", { className: "whose" });
  root.append(whose, tools, make("div", { className: "news" }, told, back), list);

  function tell(text) {
    told.textContent = text;
    back.hidden = true;
  }

  // Every change is kept at once; what it replaced can be had back.
  function change(next, text) {
    undo = own;
    const isKept = keepTour(next);
    told.textContent = `${text} ${keptWords(isKept)}`.trim();
    back.hidden = false;
  }

  function play(at) {
    go(stops(), { at, lesson: own ? null : lesson }, pages);
  }

  function save(download, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    make("a", { href: url, download }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  }

  file.onchange = async () => {
    const [chosen] = file.files;
    file.value = ""; // the same file may be chosen again
    if (!chosen) return;
    try {
      const loaded = await readTour(chosen, pages);
      change(loaded, `Loaded ${countWords(loaded)}.`);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      tell(`${fault.message}. Nothing was changed.`);
    }
  };

  function move(at, to) {
    const moved = [...stops()];
    if (!moved[to]) return;
    moved.splice(to, 0, ...moved.splice(at, 1));
    change(moved, `Stop ${at + 1} is stop ${to + 1} now.`);
  }

  function remove(at) {
    const rest = stops().filter((_, other) => other !== at);
    if (rest.length) change(rest, `Removed stop ${at + 1}.`);
    else change(null, "Removed the last stop. This is the whole lesson.");
  }

  function writeNote(at, note) {
    const changed = stops().map((stop, other) => (other === at ? { ...stop, note } : stop));
    change(changed, `The note of stop ${at + 1} is changed.`);
  }

  function row(stop, at) {
    const number = at + 1;
    const address = addressOf(stop.link, pages);
    const note = make("textarea", {
      className: "note",
      rows: 1,
      maxLength: LONGEST_NOTE,
      placeholder: "What you will say here",
      "aria-label": `Note of stop ${number}`,
      onchange: () => writeNote(at, oneLine(note.value)),
      onkeydown: (event) => {
        if (event.key === "Enter") event.preventDefault(); // a note is one line, however it wraps
        if (event.key === "Enter") note.blur();
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!event.altKey || !by) return;
        event.preventDefault();
        note.blur(); // keeps what was typed
        move(at, at + by);
        list.children[at + by]?.querySelector(".note").focus();
      },
    });
    const tool = (name, text, label, onclick, disabled = false) =>
      press(text, onclick, { className: name, "aria-label": label, title: label, disabled });
    const step = (name, by) => () => {
      move(at, at + by);
      const buttons = list.children[at + by].querySelectorAll(".up, .down");
      const same = list.children[at + by].querySelector(`.${name}`);
      (same.disabled ? [...buttons].find((button) => !button.disabled) : same)?.focus();
    };
    const last = stops().length - 1;
    const grip = make("span", {
      className: "grip",
      title: "Drag to another place",
      "aria-hidden": "true", // the buttons and keys do the same
      onpointerdown: (event) => beginDrag(event, grip.closest("li")),
    });
    return make(
      "li",
      {},
      make(
        "div",
        { className: "head" },
        grip,
        make("a", { href: address.href, text: titleOf(stop, pages), title: stop.link }),
        tool("play", "Play from here", `Play from stop ${number}`, () => play(at)),
        tool("up", "↑", `Move stop ${number} up`, step("up", -1), at === 0),
        tool("down", "↓", `Move stop ${number} down`, step("down", 1), at === last),
        tool("remove", "✕", `Remove stop ${number}`, () => {
          remove(at);
          back.focus();
        }),
      ),
      note,
    );
  }

  // Rows are made anew only where stops have come, gone or moved: what has the focus keeps it.
  function show() {
    own = ownTour(pages);
    useLesson.disabled = own === null;
    whose.textContent = own
      ? `Your tour: ${countWords(own)}.`
      : `The whole lesson: ${countWords(lesson)}. Change it and it is yours, or add a view of your ` +
        "choice and begin anew.";
    const links = stops().map(({ link }) => link);
    if (links.join("\n") !== drawn) {
      list.replaceChildren(...stops().map(row));
      drawn = links.join("\n");
    }
    stops().forEach(({ note }, at) => {
      list.children[at].querySelector(".note").value = note;
    });
  }

  back.hidden = true;
  const forget = onChange(show);
  show();
  return { end: forget };
}

export default function ({ data, parentElement }) {
  return mountOnce(parentElement, () => makeEditor(parentElement.querySelector(".editor"), data));
}
