// Receives decisions, undo state and comparison, and passes them to the review. Either component may be
// mounted first.
export default function ({ data }) {
  const shared = (globalThis.chainproofReview ??= { head: null, review: null });
  shared.head = JSON.parse(new TextDecoder().decode(data));
  shared.review?.show(shared.head);
}
