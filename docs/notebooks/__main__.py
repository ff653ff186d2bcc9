"""Runs the notebooks and stores their outputs: ``python -m docs.notebooks``, beside ``chainproof up``.

The cells run in this process: what they need is plain Python, and a kernel for each takes seconds to start.
"""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd

NOTEBOOKS = sorted(Path(__file__).parent.glob("*.ipynb"))
DISPLAY = {
    "display.max_rows": 12,
    "display.max_columns": 12,
    "display.max_colwidth": 60,
    "display.width": 110,
}


def run_notebook(file: Path) -> dict[str, Any]:
    """Return the notebook with the outputs of a new run. An error in a cell is raised."""
    notebook: dict[str, Any] = json.loads(file.read_text("utf-8"))
    namespace: dict[str, Any] = {}
    count = 0
    with pd.option_context(*[part for pair in DISPLAY.items() for part in pair]):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                cell["execution_count"] = count
                cell["outputs"] = run_cell("".join(cell["source"]), namespace, count)
    return notebook


def run_cell(code: str, namespace: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell as Jupyter does: its output is what it prints, then the value of a last expression."""
    body = ast.parse(code)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(body, f"cell {number}", "exec"), namespace)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
    if value is not None:
        data = {"data": render_value(value), "metadata": {}, "execution_count": number}
        outputs.append({"output_type": "execute_result", **data})
    return outputs


def render_value(value: Any) -> dict[str, Any]:
    """The forms of a value by media type."""
    if hasattr(value, "to_plotly_json"):
        return {"application/vnd.plotly.v1+json": json.loads(value.to_json())}
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    return {"text/plain": repr(value)} | ({"text/html": html} if html else {})


def main() -> None:
    for file in NOTEBOOKS:
        text = json.dumps(run_notebook(file), ensure_ascii=False, indent=1)
        file.write_text(f"{text}\n", "utf-8")
        print(f"{file.name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
