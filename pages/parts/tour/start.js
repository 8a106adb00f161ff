// The button that starts the visitor's own tour, or else the lesson.

function makeStart(root, { pages, lesson }) {
  const button = make("button", { type: "button" });
  root.append(button);

  function show() {
    const own = ownTour(pages);
    button.textContent = own
      ? `Start your tour: ${countWords(own)}`
      : `Start the tour: the whole lesson in ${countWords(lesson)}`;
    button.onclick = () => go(own ?? lesson, { at: 0, lesson: own ? null : lesson }, pages);
  }

  const forget = onChange(show);
  show();
  return { end: forget };
}

export default function ({ data, parentElement }) {
  return mountOnce(parentElement, () => makeStart(parentElement.querySelector(".start"), data));
}
