// What a key press changes: decisions, what can be undone, the comparison. It is handed to the review,
// whichever of the two is there first.
export default function ({ data }) {
  const meeting = (globalThis.chainproofReview ??= { head: null, review: null });
  meeting.head = JSON.parse(new TextDecoder().decode(data));
  meeting.review?.show(meeting.head);
}
