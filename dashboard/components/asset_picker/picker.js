// The chosen assets, each with a button that removes it, and a field with suggestions that adds one.
// A change shows at once; the host is told and confirms it.

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

class Picker {
  constructor(root) {
    this.list = make("datalist", { id: "assets" });
    this.field = make("input", { type: "text", id: "field", autocomplete: "off", spellcheck: false });
    this.field.setAttribute("list", "assets");
    this.label = make("label", { htmlFor: "field" });
    this.chips = make("ul");
    root.append(make("div", { className: "picker" }, this.label, make("div", { className: "box" }, this.chips, this.field), this.list));
    this.field.addEventListener("input", () => this.take(false));
    this.field.addEventListener("keydown", (event) => this.onKey(event));
  }

  receive(text, tell) {
    this.tell = tell;
    if (text === this.text) return;
    this.text = text;
    const { options, chosen, words, most } = JSON.parse(text);
    this.words = words;
    this.most = most;
    this.chosen = chosen;
    this.label.textContent = words.label;
    const offered = JSON.stringify(options);
    if (offered !== this.offered) {
      this.offered = offered;
      this.byText = new Map(options.map(([id, name]) => [name.toLowerCase(), [id, name]]));
      this.list.replaceChildren(...options.map(([, name]) => make("option", { value: name })));
    }
    this.draw();
  }

  draw() {
    const { words } = this;
    this.chips.replaceChildren(...this.chosen.map(([id, name]) => {
      const button = make("button", { type: "button", ariaLabel: words.remove.replace("{name}", name), onclick: () => this.drop(id) }, "×");
      return make("li", {}, make("span", { textContent: name }), button);
    }));
    const full = this.chosen.length >= this.most;
    this.field.readOnly = full;
    this.field.placeholder = full ? words.full : words.add;
  }

  // What was picked from the suggestions is a whole name; what was typed counts as one at Enter.
  take(done) {
    const typed = this.field.value.trim().toLowerCase();
    if (!typed) return;
    const first = done ? [...this.byText.keys()].find((name) => name.startsWith(typed)) : undefined;
    const found = this.byText.get(typed) ?? this.byText.get(first);
    if (!found) return;
    this.field.value = "";
    if (this.chosen.length < this.most && !this.chosen.some(([id]) => id === found[0])) this.change([...this.chosen, found]);
  }

  drop(id) {
    this.change(this.chosen.filter(([chosen]) => chosen !== id));
    this.field.focus();
  }

  change(chosen) {
    this.chosen = chosen;
    this.text = null; // whatever the host answers is drawn
    this.draw();
    this.tell(chosen.map(([id]) => id));
  }

  onKey(event) {
    if (event.key === "Enter") this.take(true);
    else if (event.key === "Backspace" && !this.field.value && this.chosen.length) this.drop(this.chosen.at(-1)[0]);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const picker = (parentElement.picker ??= new Picker(parentElement));
  picker.receive(new TextDecoder().decode(data), (ids) => setTriggerValue("pick", ids));
}
