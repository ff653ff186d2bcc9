// Reads a file as bytes and sends it as base64, so that line ends and the byte order mark are kept.

function el(tag, props, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
}

function readBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

class FileDrop {
  constructor(root) {
    this.input = el("input", { type: "file", className: "input", onchange: () => this.sendFile(this.input.files[0]) });
    this.label = el("span", {});
    this.hint = el("span", { className: "hint" });
    this.status = el("p", { className: "status" });
    this.status.setAttribute("role", "status");
    this.box = el("label", { className: "drop" }, this.input, this.label, this.hint);
    this.box.addEventListener("dragover", (event) => { event.preventDefault(); this.box.dataset.over = "yes"; });
    this.box.addEventListener("dragleave", () => delete this.box.dataset.over);
    this.box.addEventListener("drop", (event) => {
      event.preventDefault();
      delete this.box.dataset.over;
      this.sendFile(event.dataTransfer.files[0]);
    });
    root.append(this.box, this.status);
  }

  receive(data, send) {
    Object.assign(this, { data, send });
    this.label.textContent = data.label;
    this.hint.textContent = data.hint;
    this.input.accept = data.accept;
  }

  async sendFile(file) {
    if (!file) return;
    this.input.value = ""; // so that the same file can be chosen again
    if (file.size > this.data.max_bytes) {
      this.status.textContent = this.data.too_large.replace("{name}", file.name);
      return;
    }
    this.status.textContent = "";
    this.send("file", { name: file.name, data: file.size ? await readBase64(file) : "" });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  (parentElement.fileDrop ??= new FileDrop(parentElement)).receive(data, setTriggerValue);
}
