"""``chainproof runs``: scored runs of model profiles."""

import typer

from backend.cli import runs_compare, runs_list

app = typer.Typer(help="Scored runs of model profiles.", no_args_is_help=True)
app.command("compare")(runs_compare.app)
app.command("list")(runs_list.list_)
