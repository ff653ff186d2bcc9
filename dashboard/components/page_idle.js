// Matches while no script of the page runs.
const RESTS = '.stApp[data-test-script-state="notRunning"]';
