// A row of buttons; each copies its text. Text only enters as text.

async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export default function ({ data, parentElement }) {
  const { entries, copied, failed } = JSON.parse(new TextDecoder().decode(data));
  let bar = parentElement.bar;
  if (!bar) {
    bar = parentElement.bar = document.createElement("div");
    bar.className = "copy-bar";
    bar.said = document.createElement("p");
    bar.said.setAttribute("role", "status");
    parentElement.append(bar);
  }
  bar.replaceChildren(...entries.map(([label, text]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.onclick = async () => {
      bar.said.textContent = (await put(text ?? location.href)) ? copied : failed;
    };
    return button;
  }), bar.said);
}
