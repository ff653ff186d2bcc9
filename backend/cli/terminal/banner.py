"""Prints the URLs and commands of the running programs."""

import os
import shutil
import sysconfig
from pathlib import Path

from rich.markup import escape

from backend.cli.terminal.console import err, out
from backend.settings import Settings


def print_banner(settings: Settings, *, ready: bool) -> None:
    if not ready:
        err.print("Not everything is ready yet. Startup continues.")
    command = find_command()
    lines = [
        f"\n  [bold]Chainproof[/] ({escape(settings.data_source_label)})",
        f"  Dashboard  {settings.dashboard_url}",
        f"  Service    {settings.api_url}   (API reference: {settings.api_url}/docs)",
        f"  Data in    {settings.home}",
        f"  Commands   {command} --help",
    ]
    if settings.management_url:
        lines.insert(3, f"  Health     {settings.management_url}/readyz")
    if settings.dashboard_requires_sign_in:
        lines.append(
            f"  Sign-in    at {settings.dashboard_public_origin}; '{command} users create' creates accounts"
        )
    for line in [*lines, "  Ctrl-C stops all.\n"]:
        out.print(line, highlight=False, soft_wrap=True)


def find_command() -> str:
    """Find the command that runs this program from another terminal in the same folder.

    ``uv run`` puts its environment on the path of its child, but another terminal does not have it there.
    """
    script = Path(sysconfig.get_path("scripts")) / "chainproof"
    if "UV_RUN_RECURSION_DEPTH" in os.environ:
        return "uv run chainproof"
    command_path = shutil.which("chainproof")
    if (
        command_path is not None
        and "UV" not in os.environ
        and Path(command_path).resolve() == script.resolve()
    ):
        return "chainproof"
    folder = Path.cwd()
    return str(script.relative_to(folder) if script.is_relative_to(folder) else script)
