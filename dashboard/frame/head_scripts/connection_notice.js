// Says that the connection to the dashboard is lost, in place of Streamlit's dialog. A page that cannot be redrawn
// would otherwise show figures that look current. Short interruptions show nothing.
(() => {
  const DELAY_MS = 2000;
  const texts = CONNECTION_TEXTS;
  let timer = 0;
  let notice = null;

  function show() {
    if (notice) return;
    notice = document.createElement("div");
    notice.className = "cp-connection";
    notice.setAttribute("role", "status");
    document.body.append(notice);
    notice.textContent = texts[document.documentElement.lang] ?? texts.en;
  }

  function update(app) {
    const isLost = app.dataset.testConnectionState !== "CONNECTED";
    document.documentElement.dataset.connection = isLost ? "lost" : "open";
    clearTimeout(timer);
    if (isLost) {
      timer = setTimeout(show, DELAY_MS);
    } else {
      notice?.remove();
      notice = null;
    }
  }

  const documentObserver = new MutationObserver(() => {
    const app = document.querySelector(".stApp");
    if (!app) return;
    documentObserver.disconnect();
    new MutationObserver(() => update(app)).observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
    update(app);
  });
  documentObserver.observe(document, { childList: true, subtree: true });
})();
