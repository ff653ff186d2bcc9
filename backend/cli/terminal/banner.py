"""Tells whoever started the programs where they are and how to call the others."""

import os
import shutil
import sysconfig
from pathlib import Path

from rich.markup import escape

from backend.cli.terminal.console import err, out
from backend.settings import Settings


def print_banner(settings: Settings, *, ready: bool) -> None:
    if not ready:
        err.print("Not everything answers yet; it is given more time.")
    command = find_command()
    lines = [
        f"\n  [bold]Chainproof[/] ({escape(settings.data_description)})",
        f"  Dashboard  {settings.dashboard_url}",
        f"  Service    {settings.api_url}   (its interface: {settings.api_url}/docs)",
        f"  Data in    {settings.home}",
        f"  Commands   {command} --help",
    ]
    if settings.management_url:
        lines.insert(3, f"  Health     {settings.management_url}/readyz")
    if settings.dashboard_signs_in:
        lines.append(f"  Sign-in    at {settings.dashboard_origin}; '{command} users create' makes accounts")
    for line in [*lines, "  Ctrl-C stops all.\n"]:
        out.print(line, highlight=False, soft_wrap=True)


def find_command() -> str:
    """What to type in another terminal, in the same folder, to call this program.

    ``uv`` puts its environments on the path of what it runs, where the other terminal does not have them.
    """
    script = Path(sysconfig.get_path("scripts")) / "chainproof"
    if "UV_RUN_RECURSION_DEPTH" in os.environ:
        return "uv run chainproof"
    found = shutil.which("chainproof")
    if found is not None and "UV" not in os.environ and Path(found).resolve() == script.resolve():
        return "chainproof"
    here = Path.cwd()
    return str(script.relative_to(here) if script.is_relative_to(here) else script)
