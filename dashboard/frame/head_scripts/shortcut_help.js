// Opens the settings with "?", because they list the page's shortcuts. A component with a list of its own takes the
// key first. Readers can turn off single-letter shortcuts where a page has others.
window.addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.defaultPrevented || event.isComposing) return;
  const target = event.composedPath()[0];
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName ?? "")) return;
  try {
    if (localStorage.getItem("chainproof.keys") === "false") return;
  } catch {
    // The browser denies storage, so nothing is turned off.
  }
  document.querySelector(".st-key-settings button")?.click();
});
