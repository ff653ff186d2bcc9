// Where people sign in: when the page's socket closes, look whether the session has ended, and if so lead back
// to the sign-in with the address kept. A socket that closes for another reason is Streamlit's to open again.
(() => {
  const ENDED = 4401;
  let again; // while another dashboard has the session, or is about to give it back
  let leaving = false; // by the form that signs out, whose own page comes next
  const look = async (closed) => {
    let answer;
    try {
      answer = await fetch("/sign-in/session", { cache: "no-store", redirect: "error" });
    } catch {
      return; // the dashboard does not answer: the page says so by itself
    }
    if (leaving) return;
    clearTimeout(again);
    if (answer.status === 401) {
      const here = location.pathname + location.search;
      location.replace("/sign-in?why=ended&next=" + encodeURIComponent(here));
    } else if (answer.status === 503) {
      again = setTimeout(look, 1000, closed);
    } else if (closed && closed.code === ENDED) {
      location.reload(); // somebody signed in anew in another tab
    }
  };
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("close", look);
    }
  };
  addEventListener("submit", (sent) => {
    if (sent.target.getAttribute("action") === "/sign-out") leaving = true;
  });
  addEventListener("pageshow", (shown) => {
    if (!shown.persisted) return;
    leaving = false;
    look();
  });
})();
