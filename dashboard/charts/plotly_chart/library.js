// Loads Plotly once for the whole page, for whichever component requests it first.
const LIBRARY = "LIBRARY_URL";

function loadLibrary() {
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
