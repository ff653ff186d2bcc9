// Applies the reader's theme before Streamlit starts. Streamlit follows the mode that matchMedia reports for the
// system and stores its own choices for each page path. So matchMedia reports the chosen theme, for every page, and
// Streamlit's choices are removed. chainproofSetTheme changes the theme of the open page.
(() => {
  const DARK_QUERY = "(prefers-color-scheme: dark)";
  const matchSystem = window.matchMedia.bind(window);
  const system = matchSystem(DARK_QUERY);
  const stored = /(?:^|; )chainproof=[^;]*\btheme=(light|dark)\b/.exec(document.cookie);
  let theme = stored ? stored[1] : "system";

  const chosen = new EventTarget();
  Object.defineProperties(chosen, {
    media: { value: DARK_QUERY },
    matches: { get: () => (theme === "system" ? system.matches : theme === "dark") },
  });
  chosen.addListener = (listener) => chosen.addEventListener("change", listener);
  chosen.removeListener = (listener) => chosen.removeEventListener("change", listener);
  window.matchMedia = (query) => (query === DARK_QUERY ? chosen : matchSystem(query));

  function announce() {
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    chosen.dispatchEvent(new Event("change"));
  }
  window.chainproofSetTheme = (choice) => {
    if (choice === theme) return;
    theme = choice;
    announce();
  };
  system.addEventListener("change", announce);
  announce();

  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("stActiveTheme")) localStorage.removeItem(key);
  } catch {
    // The browser denies storage, so Streamlit has stored nothing either.
  }
})();
