"""Builds C libraries that are preloaded into the processes of a site."""

import shutil
import subprocess
import sys
from pathlib import Path


def build_library(name: str, folder: Path) -> Path | None:
    """Build the library of ``NAME.c``; None, with a message, without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        print("   skipped: this needs Linux and a C compiler")
        return None
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    command = [compiler, "-O2", "-Wall", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library
