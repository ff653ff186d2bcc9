export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const shared = (globalThis.chainproofRankTable ??= { head: null, table: null });
  const table = (parentElement.rankTable ??= new RankTable(parentElement));
  const call = (table.call = (table.call || 0) + 1);
  shared.table = table;
  table.receive(data, { setStateValue, setTriggerValue });
  if (shared.head) table.show(shared.head);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (table.call !== call) return;
    table.disconnect();
    if (shared.table === table) shared.table = null;
  };
}
