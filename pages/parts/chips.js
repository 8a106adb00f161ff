// Draws one button a word. Words are set as text, never as markup.

function makeChip() {
  const chip = document.createElement("button");
  chip.type = "button";
  chip.className = "chip";
  for (const name of ["word", "category"]) {
    const part = document.createElement("span");
    part.className = name;
    chip.append(part);
  }
  return chip;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const row = parentElement.querySelector(".chips");
  // Buttons are kept and only filled anew, so that the one in focus stays in focus.
  while (row.children.length > data.words.length) row.lastChild.remove();
  while (row.children.length < data.words.length) row.append(makeChip());
  data.words.forEach(({ word, category }, position) => {
    const chip = row.children[position];
    const name = data.categories[category];
    const next = data.categories[(category + 1) % data.categories.length];
    const [shownWord, shownCategory] = chip.children;
    shownWord.textContent = word;
    shownCategory.textContent = name;
    chip.dataset.category = category;
    chip.title = `${word}: ${name}. Press for ${next}.`;
    chip.setAttribute("aria-label", `${word}: ${name}. Press for ${next}.`);
    chip.onclick = () => setTriggerValue("pressed", position);
  });
}
