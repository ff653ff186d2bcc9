export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const shared = (globalThis.chainproofReview ??= { head: null, review: null });
  const review = (parentElement.review ??= new Review(parentElement));
  const call = (review.callCount = (review.callCount || 0) + 1);
  shared.review = review;
  review.receive(data, setStateValue, setTriggerValue);
  if (shared.head) review.show(shared.head);
  // Streamlit may clean up after an older call once a newer one has taken over.
  return () => {
    if (review.callCount !== call) return;
    review.disconnect();
    if (shared.review === review) Object.assign(shared, { head: null, review: null });
  };
}
