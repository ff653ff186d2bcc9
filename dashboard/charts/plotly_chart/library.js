// Plotly, once for the whole page, whichever component asks first.
const LIBRARY = "ADDRESS";

function library() {
  return (globalThis.chainproofPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = LIBRARY;
    script.async = true;
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => {
      globalThis.chainproofPlotly = undefined; // the next chart tries again
      script.remove();
      reject(new Error(`${LIBRARY} cannot be loaded`));
    };
    document.head.append(script);
  }));
}
