// A file is read as bytes and sent as base64: no line end or byte order mark is lost on the way.

function node(tag, props, ...children) {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

class FileDrop {
  constructor(root) {
    this.input = node("input", { type: "file", className: "input", onchange: () => this.take(this.input.files[0]) });
    this.label = node("span", {});
    this.hint = node("span", { className: "hint" });
    this.said = node("p", { className: "said" });
    this.said.setAttribute("role", "status");
    this.box = node("label", { className: "drop" }, this.input, this.label, this.hint);
    this.box.addEventListener("dragover", (event) => { event.preventDefault(); this.box.dataset.over = "yes"; });
    this.box.addEventListener("dragleave", () => delete this.box.dataset.over);
    this.box.addEventListener("drop", (event) => {
      event.preventDefault();
      delete this.box.dataset.over;
      this.take(event.dataTransfer.files[0]);
    });
    root.append(this.box, this.said);
  }

  receive(data, send) {
    Object.assign(this, { data, send });
    this.label.textContent = data.label;
    this.hint.textContent = data.hint;
    this.input.accept = data.accept;
  }

  async take(file) {
    if (!file) return;
    this.input.value = ""; // the same file can be chosen again
    if (file.size > this.data.most) {
      this.said.textContent = this.data.too_large.replace("{name}", file.name);
      return;
    }
    this.said.textContent = "";
    this.send("file", { name: file.name, data: file.size ? await base64(file) : "" });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  (parentElement.fileDrop ??= new FileDrop(parentElement)).receive(data, setTriggerValue);
}
