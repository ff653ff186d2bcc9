// Rows far from the screen need not be laid out while a reader waits for something: they are left out
// where a width changes or all rows are new, and follow when the page rests. Then they are there for
// who scrolls fast, and for who has the page read out, since browsers tell nothing of what they leave out.

const REST = 900; // milliseconds without a press
const AT_ONCE = 16; // rows, which take about as long as a frame

Object.assign(RankTable.prototype, {
  leaveOut() {
    for (const { node } of this.views.values()) if (!node.near) node.classList.add("far");
    this.takeInLater();
  },

  takeInLater() {
    clearTimeout(this.resting);
    cancelPause(this.takingIn);
    this.resting = setTimeout(() => this.takeIn(), REST);
  },

  takeIn() {
    if (this.mode !== "table" || !this.connected) return; // nobody sees them: when they are shown again
    const some = [...this.body.getElementsByClassName("far")].slice(0, AT_ONCE);
    for (const row of some) row.classList.remove("far");
    if (some.length) this.takingIn = atPause(() => this.takeIn());
  },
});
