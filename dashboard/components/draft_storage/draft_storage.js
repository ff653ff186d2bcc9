// Stores in this tab what the reader types into a form, and offers it to the session when the form appears again.
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const MAX_CHARS = 400_000;

export default function ({ data, parentElement, setTriggerValue }) {
  const { owner, session, discarded } = data;
  const storageKey = `chainproof.draft.${data.form}`;
  const findInput = (field) => document.querySelector(`.st-key-${field} :is(textarea, input)`);

  function load() {
    try {
      return JSON.parse(sessionStorage.getItem(storageKey));
    } catch {
      return null; // storage may be disabled
    }
  }

  function save(draft) {
    try {
      if (draft) sessionStorage.setItem(storageKey, JSON.stringify(draft));
      else sessionStorage.removeItem(storageKey);
    } catch {
      return; // storage may be disabled or full
    }
  }

  function store() {
    const inputs = data.fields.map((field) => [field, findInput(field)]).filter(([, input]) => input);
    const values = Object.fromEntries(inputs.map(([field, input]) => [field, input.value]));
    const texts = Object.values(values);
    const length = texts.reduce((sum, value) => sum + value.length, 0);
    const isStored = length <= MAX_CHARS && texts.some((value) => value.trim());
    save(isStored ? { at: Date.now(), owner, session, discarded, values } : null);
  }

  function isObsolete(draft) {
    const wasDiscarded = draft.session === session && draft.discarded !== discarded;
    return wasDiscarded || draft.owner !== owner || Date.now() - draft.at > MAX_AGE_MS;
  }

  const draft = load();
  if (draft && isObsolete(draft)) {
    save(null);
  } else if (draft && !parentElement.wasOffered) {
    const typed = Object.entries(draft.values ?? {}).filter(([field, value]) => data.fields.includes(field) && value !== data.values[field]);
    if (typed.length) {
      save({ ...draft, session, discarded }); // from now on, this session may discard it
      setTriggerValue("restore", Object.fromEntries(typed));
    }
  }
  parentElement.wasOffered = true;

  const onInput = (event) => {
    if (data.fields.some((field) => event.target.closest?.(`.st-key-${field}`))) store();
  };
  // A date fires no input event.
  const onFocusOut = (event) => {
    if (data.fields.some((field) => findInput(field) && findInput(field).value !== data.values[field])) onInput(event);
  };
  document.addEventListener("input", onInput);
  document.addEventListener("focusout", onFocusOut);
  return () => {
    document.removeEventListener("input", onInput);
    document.removeEventListener("focusout", onFocusOut);
  };
}
