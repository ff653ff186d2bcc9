"""Assembles ``chainproof runs``: imports, lists and compares scored runs of model profiles."""

import typer

from backend.cli.runs import compare_runs, import_runs, list_evaluations, list_runs, redact_texts

app = typer.Typer(help="Scored runs of model profiles.", no_args_is_help=True)
app.command("import")(import_runs.import_)
app.command("list")(list_runs.list_runs)
app.command("evaluations")(list_evaluations.list_evaluations)
app.command("redact")(redact_texts.redact)
app.command("compare")(compare_runs.app)
