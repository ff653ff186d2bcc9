// Skips the layout of rows far from the screen after a change of widths or of all rows, and lays them out
// when the page is idle. Readers who scroll fast then find them, and so do screen readers, which skip
// rows without a layout.

const QUIET_MS = 900; // without a press of a pointer
const ROWS_PER_STEP = 16; // they take about as long as a frame

Object.assign(RankTable.prototype, {
  skipFarRows() {
    for (const { node } of this.views.values()) if (!node.near) node.classList.add("far");
    this.layOutFarRowsLater();
  },

  layOutFarRowsLater() {
    clearTimeout(this.quietTimer);
    cancelIdle(this.layoutStep);
    this.quietTimer = setTimeout(() => this.layOutFarRows(), QUIET_MS);
  },

  layOutFarRows() {
    if (this.mode !== "table" || !this.connected) return; // hidden: laid out when they are shown again
    const rows = [...this.body.getElementsByClassName("far")].slice(0, ROWS_PER_STEP);
    for (const row of rows) row.classList.remove("far");
    if (rows.length) this.layoutStep = runWhenIdle(() => this.layOutFarRows());
  },
});
