// The form that adds the current view to the visitor's tour.

function makeForm(form) {
  let data = null;
  const where = make("p", { className: "where" });
  const note = make("textarea", { rows: 2, maxLength: LONGEST_NOTE });
  const label = make("label", { text: "What you will say here, in one line" }, note);
  const add = make("button", { type: "submit", className: "main", text: "Add" });
  const told = make("p", { className: "told", role: "status", tabIndex: -1 });
  form.append(where, label, add, told);

  note.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!add.disabled) form.requestSubmit();
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    try {
      const stop = { link: data.link, note: oneLine(note.value) };
      const stops = checkTour([...(ownTour(data.pages) ?? []), stop], data.pages);
      const isKept = keepTour(stops);
      told.textContent = `Added: it is stop ${stops.length} of your tour. ${keptWords(isKept)}`;
      add.disabled = true;
      told.focus(); // a button that is off has none, and Escape would no longer reach the window
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      told.textContent = `${fault.message}. Nothing was added.`;
    }
  };

  return {
    take(now) {
      if (data === null) requestAnimationFrame(() => note.focus());
      if (now.link !== data?.link) [add.disabled, told.textContent] = [false, ""];
      data = now;
      where.textContent = `${data.title}, as you see it now.`;
    },
  };
}

export default function ({ data, parentElement }) {
  const end = mountOnce(parentElement, () => makeForm(parentElement.querySelector(".add")));
  mounted.get(parentElement).take(data);
  return end;
}
