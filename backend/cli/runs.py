"""``chainproof runs``: scored runs of model profiles."""

import typer

from backend.cli import runs_compare, runs_import, runs_list

app = typer.Typer(help="Scored runs of model profiles.", no_args_is_help=True)
app.command("import")(runs_import.import_)
app.command("list")(runs_list.list_)
app.command("compare")(runs_compare.app)
