"""``chainproof runs``: scored runs of model profiles."""

import typer

from backend.cli import runs_list

app = typer.Typer(help="Scored runs of model profiles.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Commands on runs; a group even while it holds one of them."""


app.command("list")(runs_list.list_)
