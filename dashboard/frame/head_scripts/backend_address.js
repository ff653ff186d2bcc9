// Tells Streamlit where its server is. Without it, Streamlit first looks below the path of the open page, which costs
// two failed requests and writes errors to the console.
window.__streamlit = { BACKEND_BASE_URL: `${window.location.origin}/` };
