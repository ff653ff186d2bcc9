// Where people sign in: while the page's socket is closed, look whether this dashboard still knows the browser, and
// if not lead to the sign-in with the address kept. After a restart that comes back at once, without a page.
// Streamlit opens the socket again by itself, but not at a dashboard that does not know the browser.
(() => {
  const ENDED = 4401;
  const AGAIN_MS = 1000;
  let lost = null; // how the socket was closed, until another is open
  let again;
  let leaving = false; // by the form that signs out, whose own page comes next
  const look = async () => {
    clearTimeout(again);
    const closed = lost;
    let status = 0;
    try {
      status = (await fetch("/sign-in/session", { cache: "no-store", redirect: "error" })).status;
    } catch {
      // The dashboard does not answer: the page says so by itself.
    }
    if (leaving || closed !== lost || closed === null) return;
    if (status === 401) {
      const here = location.pathname + location.search;
      const why = closed.code === ENDED ? "why=ended&" : "";
      location.replace("/sign-in?" + why + "next=" + encodeURIComponent(here));
    } else if (status === 204 && closed.code === ENDED) {
      location.reload(); // somebody signed in anew in another tab
    } else {
      again = setTimeout(look, AGAIN_MS);
    }
  };
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("open", () => {
        lost = null;
      });
      this.addEventListener("close", (closed) => {
        lost = closed;
        look();
      });
    }
  };
  addEventListener("submit", (sent) => {
    if (sent.target.getAttribute("action") === "/sign-out") leaving = true;
  });
  addEventListener("pageshow", (shown) => {
    if (!shown.persisted) return;
    leaving = false;
    lost ??= {};
    look();
  });
})();
