export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("[role=status]");
  button.textContent = data.label;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.text);
      status.textContent = data.copied;
    } catch { // no permission, or no clipboard without HTTPS
      status.textContent = data.failed;
    }
  };
}
