"""Builds C libraries that are preloaded into the processes of a site."""

import shutil
import subprocess
import sys
from pathlib import Path


def built(name: str, folder: Path) -> Path | None:
    """The library of ``NAME.c``; null, with a word, where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        print("   left out: this needs Linux and a C compiler")
        return None
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    command = [compiler, "-O2", "-Wall", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library
