// Moves between the places of a name that the article writes in several ways.

// Lists the places of each such name in reading order. `form` is the number of the form, `at` the place in it.
function sortPlaces(mixed, fields) {
  const order = new Map(fields.map((field, n) => [field.path, n]));
  return mixed.map((forms) => forms
    .flatMap(({ places }, form) => places.map(([field, start, end, finding], at) => ({ field, start, end, finding, form, at })))
    .sort((a, b) => order.get(a.field) - order.get(b.field) || a.start - b.start));
}

Object.assign(Review.prototype, {
  // The number of the current finding's name in `mixed`; null if the finding is of another kind.
  getMixed() {
    return this.findings[this.current]?.mixed ?? null;
  },

  findOwnPlace() {
    const mixed = this.getMixed();
    return mixed === null ? -1 : this.places[mixed].findIndex((place) => place.finding === this.current);
  },

  // Goes to the next place, or the previous one with `by` -1; with `form`, to the next place of that form.
  selectPlace(by, form = null) {
    const mixed = this.getMixed();
    if (mixed === null) return this.bar.say(this.words.no_places);
    const places = this.places[mixed];
    let number = this.placeNumber;
    do number = (number + by + places.length) % places.length;
    while (form !== null && places[number].form !== form);
    const place = places[number];
    if (this.view !== "text") this.setView("text");
    if (place.finding !== null) this.select(place.finding, true);
    else {
      this.placeNumber = number;
      this.panel.showCard();
      this.marks.showPlaces();
      this.marks.focusPlace(mixed, number);
    }
    const { text, places: alike } = this.mixed[mixed][place.form];
    return this.bar.say(fill(this.words.place_of_form, { name: text, n: place.at + 1, all: alike.length }));
  },
});
