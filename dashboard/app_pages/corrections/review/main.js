export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const meeting = (globalThis.chainproofReview ??= { head: null, review: null });
  const review = (parentElement.review ??= new Review(parentElement));
  const turn = (review.turn = (review.turn || 0) + 1);
  meeting.review = review;
  review.receive(data, setStateValue, setTriggerValue);
  if (meeting.head) review.show(meeting.head);
  // The host may clean up after an older call once a newer one has taken over.
  return () => {
    if (review.turn !== turn) return;
    review.disconnect();
    if (meeting.review === review) Object.assign(meeting, { head: null, review: null });
  };
}
