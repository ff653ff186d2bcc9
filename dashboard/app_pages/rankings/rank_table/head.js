// Passes the state that a click changes (view, open coin, comparison) to the table. Either of the two
// components may be mounted first.
export default function ({ data }) {
  const shared = (globalThis.chainproofRankTable ??= { head: null, table: null });
  const head = JSON.parse(new TextDecoder().decode(data));
  shared.head = head;
  shared.table?.show(head);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (shared.head === head) shared.head = null;
  };
}
