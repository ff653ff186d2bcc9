// What a click changes: the view, the open coin, the comparison. It is handed to the table, whichever
// of the two is there first.
export default function ({ data }) {
  const meeting = (globalThis.chainproofRankTable ??= { head: null, table: null });
  const head = JSON.parse(new TextDecoder().decode(data));
  meeting.head = head;
  meeting.table?.show(head);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (meeting.head === head) meeting.head = null;
  };
}
