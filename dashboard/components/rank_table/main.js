export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const table = (parentElement.rankTable ??= new RankTable(parentElement));
  const turn = (table.turn = (table.turn || 0) + 1);
  table.receive(data, { setStateValue, setTriggerValue });
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (table.turn === turn) table.disconnect();
  };
}
