"""Defines ``chainproof backup`` and ``chainproof restore``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.cli.exit_codes import FINDINGS
from backend.cli.terminal.console import err, fail, handle_errors, out
from backend.formats.plurals import format_count
from backend.formats.timestamps import utc_now, write_instant
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.backup.archive import Manifest

app = typer.Typer()
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
@handle_errors
def backup(
    target: Annotated[
        Path,
        typer.Argument(metavar="FILE|FOLDER", help="A .zip file, or a folder, which is created if needed."),
    ],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the archive FILE instead of writing one.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Back up all data to one archive, while the service runs. Includes your own files in the data folder."""
    from backend.backup import service
    from backend.backup.archive import DamagedArchiveError

    if verify:
        try:
            with err.status("Reading…"):
                manifest = service.verify(target)
        except DamagedArchiveError as error:
            fail(str(error), FINDINGS)
        _print_result(manifest, as_json, f"{target} is complete: {_describe(manifest)}.")
        return
    with err.status("Backing up…"):
        backup_result = service.back_up(Settings(), target, overwrite=overwrite, clock=utc_now)
    size = format_count(backup_result.size, "byte")
    _print_result(
        backup_result.manifest,
        as_json,
        f"{backup_result.file} ({size}) contains {_describe(backup_result.manifest)}.",
        file=str(backup_result.file),
        size=backup_result.size,
    )
    if backup_result.manifest.external_files:
        excluded = ", ".join(backup_result.manifest.external_files)
        err.print(
            f"Not included, because outside the data folder: {excluded}", highlight=False, soft_wrap=True
        )
    if not as_json:
        out.print("The archive contains keys and settings. Keep it as safe as those.")


@app.command()
@handle_errors
def restore(
    file: Annotated[Path, typer.Argument(help="An archive that 'chainproof backup' wrote.")],
    data_only: Annotated[
        bool, typer.Option("--data-only", help="Keep your own files in the data folder unchanged.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup into an empty data folder, or into an empty database if the settings name one."""
    from backend.backup import service

    with err.status("Restoring…"):
        restored = service.restore(Settings(), file, data_only=data_only, clock=utc_now)
    _print_result(restored.manifest, as_json, f"Restored {_describe(restored.manifest)}.")


def _describe(manifest: "Manifest") -> str:
    tables = f"{format_count(manifest.rows, 'row')} of {format_count(len(manifest.tables), 'table')}"
    files = format_count(len(manifest.files), "file")
    at = write_instant(manifest.taken_at.replace(microsecond=0))
    return f"{tables} and {files} as of {at} (version {manifest.version}, schema {manifest.schema})"


def _print_result(manifest: "Manifest", as_json: bool, sentence: str, **extra: Any) -> None:
    if not as_json:
        out.print(sentence, highlight=False, soft_wrap=True)
        return
    result = {
        **extra,
        "version": manifest.version,
        "schema": manifest.schema,
        "store": manifest.store,
        "taken_at": write_instant(manifest.taken_at),
        "rows": {table.name: table.rows for table in manifest.tables},
        "files": [part.path for part in manifest.files],
        "files_elsewhere": manifest.external_files,
    }
    print(json.dumps(result, indent=2))
