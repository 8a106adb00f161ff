// What the parts of the tour on a page are made of.

// Streamlit may clean up and go on in the same place: only what has left the page ends.
const mounted = new WeakMap();

function mountOnce(parentElement, mount) {
  if (!mounted.has(parentElement)) mounted.set(parentElement, mount());
  return () => {
    setTimeout(() => {
      if (parentElement.isConnected || !mounted.has(parentElement)) return;
      mounted.get(parentElement).end?.();
      mounted.delete(parentElement);
    });
  };
}

// An element with its text, class and label. Text is only ever text.
function make(tag, { text, ...properties } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}
