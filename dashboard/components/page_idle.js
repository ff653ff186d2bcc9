// Matches while Streamlit does not run the page's script.
const IDLE_SELECTOR = '.stApp[data-test-script-state="notRunning"]';
