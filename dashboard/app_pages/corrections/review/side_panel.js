// Builds the side panel: details of the current finding, and the list of all findings.

class SidePanel {
  constructor(review) {
    this.review = review;
    this.card = el("div", { class: "card", tabindex: "-1", role: "group" });
    this.list = el("ol", { class: "list" });
    this.listBox = el("div", { class: "listbox", tabindex: "0", role: "region" }, this.list);
    this.root = el("aside", { class: "panel" }, this.card, this.listBox);
    this.list.addEventListener("click", (event) => {
      const item = event.target.closest("[data-k]");
      if (item) review.select(Number(item.dataset.k), true);
    });
  }

  build() {
    const { findings, words } = this.review;
    setAttr(this.root, "aria-label", words.panel);
    setAttr(this.card, "aria-label", words.card);
    setAttr(this.listBox, "aria-label", words.list);
    this.items = findings.map((one, n) => el("li", { "data-k": n }, el("span", { class: "glyph", "data-severity": one.severity, "aria-hidden": "true" }),
      el("span", { class: "was", lang: one.language }, one.text), el("span", { class: "to" }), one.reason ? el("span", { class: "because" }, one.reason) : null));
    this.list.replaceChildren(...this.items);
    this.listBox.hidden = findings.length === 0;
  }

  show(numbers) {
    const { review } = this;
    for (const n of numbers ?? this.items.keys()) {
      const item = this.items[n];
      const one = review.findings[n];
      const status = review.decisions.get(n)?.status ?? "open";
      setAttr(item, "data-status", status);
      setAttr(item, "aria-current", n === review.current ? "true" : null);
      item.hidden = !review.isShown(n);
      setText(item.children[0], status === "approved" ? "✓" : status === "ignored" ? "–" : GLYPHS[one.severity]);
      const target = review.replacement(n);
      setText(item.children[2], target === null ? "" : `→ ${target}`);
    }
    this.showCard();
    const item = this.items[review.current];
    if (item && !item.hidden) {
      const box = this.listBox;
      const top = item.offsetTop - box.offsetTop;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + item.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + item.offsetHeight - box.clientHeight;
    }
  }

  showCard() {
    const { review } = this;
    const { words } = review;
    const one = review.findings[review.current];
    this.card.replaceChildren(...(one ? this.finding(one) : this.nothing(words)).filter(Boolean));
  }

  nothing(words) {
    if (this.review.findings.length) return [el("p", { class: "why" }, words.none_shown)];
    return [el("p", { class: "done" }, el("span", { "aria-hidden": "true" }, "✓ "), words.clean), el("p", { class: "why" }, words.clean_why)];
  }

  finding(one) {
    const { review } = this;
    const { words } = review;
    const n = review.current;
    const shown = review.listShown();
    const decision = review.decisions.get(n);
    const rule = review.rules[one.rule] ?? {};
    const target = review.replacement(n);
    const open = shown.filter((k) => !review.decisions.has(k)).length;
    const place = `${fill(words.place, { n: shown.indexOf(n) + 1, all: shown.length })} · ${fill(words.left, { n: open })}`;
    const nav = el("div", { class: "nav" }, el("span", { class: "place" }, place), el("span", { class: "push" }),
      el("button", { type: "button", class: "quiet", "aria-label": words.previous, title: fill(words.with_note, { text: words.previous, note: "p" }), onclick: () => review.selectNext(-1) }, "‹"),
      el("button", { type: "button", class: "quiet", "aria-label": words.next, title: fill(words.with_note, { text: words.next, note: "n" }), onclick: () => review.selectNext(1) }, "›"));
    const kind = one.safe ? "safe" : one.suggestion !== null ? "approval" : "none";
    const status = decision ? el("span", { class: "badge", "data-status": decision.status }, words[decision.status]) : el("span", { class: "badge", "data-kind": kind }, words[`kind_${kind}`]);
    const head = el("p", { class: "what" }, el("span", { class: "sev", "data-severity": one.severity }, el("span", { "aria-hidden": "true" }, GLYPHS[one.severity]), ` ${words[one.severity]}`), ` · ${words.types[one.type] ?? one.type}`);
    const change = el("p", { class: "change" }, el("del", { lang: one.language }, one.text), target === null ? null : el("span", { class: "arrow", "aria-hidden": "true" }, " → "), target === null ? null : el("ins", { lang: one.language }, target));
    const reason = one.reason || rule.note || words.reasons[one.type];
    return [nav, head, change, el("p", {}, status), this.choices(one, decision), reason ? el("p", { class: "why" }, reason) : null, this.judgedBy(one), this.places(one),
      this.buttons(one, decision), this.entity(one), this.ruleLine(one, rule)];
  }

  choices(one, decision) {
    const { review } = this;
    if (!one.choices.length) return null;
    const buttons = one.choices.slice(0, 9).map((name, k) => keyButton(name, String(k + 1), () => review.choose(name), { "aria-pressed": String(decision?.text === name), lang: one.language }));
    return el("div", { class: "choices", role: "group", "aria-label": review.words.choose }, el("p", { class: "why" }, review.words.choose), ...buttons);
  }

  // Tells the date that decides whether a former name is right, and its origin.
  judgedBy(one) {
    const { words, date } = this.review;
    if (one.type !== "former_name") return null;
    if (!date.day) return el("p", { class: "why" }, words.date_missing);
    return el("p", { class: "why judged" }, fill(words.date_from, { date: date.day, origin: words.origins[date.origin] }));
  }

  // Counts the forms of a mixed name, with buttons that go to their places.
  places(one) {
    const { review } = this;
    const { words } = review;
    if (one.mixed === null) return null;
    const forms = review.mixed[one.mixed].map((form, k) => el("button", { type: "button", class: "form", lang: one.language, "aria-label": fill(words.next_of_form, { name: form.text, n: form.places.length }), onclick: () => review.selectPlace(1, k) },
      form.text, el("b", { lang: review.lang }, fill(words.times, { n: form.places.length }))));
    const step = (by, word, sign, key) => el("button", { type: "button", class: "quiet", "aria-label": word, title: fill(words.with_note, { text: word, note: key }), onclick: () => review.selectPlace(by) }, sign);
    const position = fill(words.position, { n: review.placeNumber + 1, all: review.places[one.mixed].length });
    return el("div", { class: "places", role: "group", "aria-label": words.places }, ...forms, el("span", { class: "nav steps" },
      step(-1, words.previous_place, "‹", "⇧m"), el("span", { class: "place" }, position), step(1, words.next_place, "›", "m")));
  }

  buttons(one, decision) {
    const { review } = this;
    const { words } = review;
    const alike = review.findAlike(review.current).length;
    const can = one.suggestion !== null;
    return el("div", { class: "acts" },
      review.replacement(review.current) === null ? null : keyButton(words.apply, "F", () => review.applyOne(), { class: "yes first" }),
      can ? keyButton(words.approve, "A", () => review.decide("approved"), { "aria-pressed": String(decision?.status === "approved") }) : null,
      keyButton(words.ignore, "I", () => review.decide("ignored"), { "aria-pressed": String(decision?.status === "ignored") }),
      one.accept ? keyButton(words.accept, "W", () => review.acceptName(), { title: fill(words.accept_help, { name: one.accept }) }) : null,
      alike > 1 && can ? el("button", { type: "button", class: "quiet", onclick: () => review.decide("approved", true) }, fill(words.approve_alike, { n: alike })) : null,
      alike > 1 ? keyButton(fill(words.ignore_alike, { n: alike }), "⇧I", () => review.decide("ignored", true), { class: "quiet" }) : null);
  }

  entity(one) {
    const { review } = this;
    const { words } = review;
    const facts = review.entities[one.entity];
    if (!facts) return null;
    const names = el("dl", { class: "names" });
    for (const [lang, name] of facts.names) names.append(el("dt", {}, words.languages[lang]), el("dd", { lang }, name));
    for (const [name, until] of facts.former) names.append(el("dt", {}, words.former), el("dd", {}, until ? fill(words.with_note, { text: name, note: `–${until}` }) : name));
    const site = facts.site ? el("a", { href: facts.site[1], target: "_blank", rel: "noreferrer" }, facts.site[0]) : null;
    return el("div", { class: "entity" }, el("p", { class: "ent" }, el("strong", {}, facts.name), site ? " · " : "", site), names);
  }

  ruleLine(one, rule) {
    const { words } = this.review;
    const source = rule.source && rule.note ? (/^https?:\/\//.test(rule.source) ? el("a", { href: rule.source, target: "_blank", rel: "noreferrer" }, rule.source.replace(/^https?:\/\/(www\.)?/, "")) : rule.source) : null;
    return el("p", { class: "rule" }, `${words.rule} `, el("code", {}, one.rule), source ? ` · ${words.source} ` : "", source);
  }
}
