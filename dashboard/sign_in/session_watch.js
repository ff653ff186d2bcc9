// With sign-in enabled: while the page's WebSocket is closed, checks whether the dashboard still knows the browser.
// If not, it redirects to the sign-in with the current URL. After a restart the page returns at once. Streamlit
// reopens the WebSocket itself, but the dashboard rejects that for unknown browsers.
(() => {
  const SESSION_ENDED_CODE = 4401; // as in guard.py
  const RETRY_MS = 1000;
  let closeEvent = null; // of the WebSocket, until another one is open
  let retryTimer;
  let signingOut = false; // the sign-out form was sent, and its page follows
  const checkSession = async () => {
    clearTimeout(retryTimer);
    const closed = closeEvent;
    let status = 0;
    try {
      status = (await fetch("/sign-in/session", { cache: "no-store", redirect: "error" })).status;
    } catch {
      // The dashboard does not respond: Streamlit shows that itself.
    }
    if (signingOut || closed !== closeEvent || closed === null) return;
    if (status === 401) {
      const here = location.pathname + location.search;
      const why = closed.code === SESSION_ENDED_CODE ? "why=ended&" : "";
      location.replace("/sign-in?" + why + "next=" + encodeURIComponent(here));
    } else if (status === 204 && closed.code === SESSION_ENDED_CODE) {
      location.reload(); // signed in again in another tab
    } else {
      retryTimer = setTimeout(checkSession, RETRY_MS);
    }
  };
  const NativeWebSocket = window.WebSocket;
  window.WebSocket = class extends NativeWebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener("open", () => {
        closeEvent = null;
      });
      this.addEventListener("close", (closed) => {
        closeEvent = closed;
        checkSession();
      });
    }
  };
  addEventListener("submit", (sent) => {
    if (sent.target.getAttribute("action") === "/sign-out") signingOut = true;
  });
  addEventListener("pageshow", (shown) => {
    if (!shown.persisted) return;
    signingOut = false;
    closeEvent ??= {};
    checkSession();
  });
})();
