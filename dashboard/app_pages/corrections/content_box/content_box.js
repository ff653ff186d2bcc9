// Focuses a text box, counts its text while it is typed, and submits its form when an article is pasted.
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
const MAX_COUNTED_CHARS = 200_000;
const FOCUS_TIMEOUT_MS = 3000;
// The elements from which the focus may move: those with which the page was opened.
const OPENERS = "body, [data-testid=stTopNavLink], .st-key-cr_new button";

function fill(template, values) {
  return template.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, key, one, many) => (one === undefined ? values[key].toLocaleString() : values[key] === 1 ? one : many));
}

function count(text) {
  let characters = 0;
  for (const char of text) if (char.trim()) characters += 1;
  return { characters, words: text.trim() ? text.trim().split(/\s+/).length : 0 };
}

export default function ({ data, parentElement }) {
  const note = (parentElement.note ??= parentElement.appendChild(document.createElement("p")));
  note.className = "cp-note";
  const findBox = () => document.querySelector(`.st-key-${data.box} textarea`);

  function show() {
    const text = findBox()?.value ?? "";
    const counts = count(text.slice(0, MAX_COUNTED_CHARS));
    const isWordless = text.length > MAX_COUNTED_CHARS || CJK.test(text) || (!text.trim() && data.lang !== "en");
    if (text.length > MAX_COUNTED_CHARS) counts.characters = text.replace(/\s+/g, "").length;
    note.textContent = fill(isWordless ? data.characters : data.words, counts);
  }

  // Focuses the empty box once, so that an article can be pasted at once. On a touch screen the keyboard would
  // cover the page. A reader who has focused something else keeps the focus.
  function focusBox(end) {
    const box = findBox();
    if (!document.activeElement?.matches(OPENERS) || box?.value.trim()) return;
    if (box) box.focus({ preventScroll: true });
    else if (performance.now() < end) requestAnimationFrame(() => focusBox(end));
  }
  if (data.checks && !parentElement.isFocused && matchMedia("(pointer: fine)").matches) focusBox(performance.now() + FOCUS_TIMEOUT_MS);
  parentElement.isFocused = true;

  // An article that is pasted into the empty box is complete. The form is submitted when the box has the text.
  function onPaste(event) {
    const box = findBox();
    if (event.target !== box || !data.checks || box.value.trim()) return;
    setTimeout(() => {
      if (box.value.trim()) document.querySelector(`.st-key-${data.button} button`)?.click();
    });
  }

  const onInput = (event) => event.target === findBox() && show();
  document.addEventListener("input", onInput);
  document.addEventListener("paste", onPaste);
  show();
  // The box may be filled after this component.
  const drawn = setTimeout(show, 300);
  return () => {
    clearTimeout(drawn);
    document.removeEventListener("input", onInput);
    document.removeEventListener("paste", onPaste);
  };
}
