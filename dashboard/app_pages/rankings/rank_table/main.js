export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const meeting = (globalThis.chainproofRankTable ??= { head: null, table: null });
  const table = (parentElement.rankTable ??= new RankTable(parentElement));
  const turn = (table.turn = (table.turn || 0) + 1);
  meeting.table = table;
  table.receive(data, { setStateValue, setTriggerValue });
  if (meeting.head) table.show(meeting.head);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (table.turn !== turn) return;
    table.disconnect();
    if (meeting.table === table) meeting.table = null;
  };
}
