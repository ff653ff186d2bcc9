"""Adds the modules of the repository that scanning needs to the distribution."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "modules"


class ModulesHook(BuildHookInterface[Any]):
    """Takes the files that ``modules`` in ``pyproject.toml`` lists by patterns.

    They come from the repository, or from the unpacked source distribution that holds them.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            raise ValueError("chainproof-scan copies its modules. Install chainproof itself to edit them.")
        root = Path(self.root)
        sources = root / FOLDER if (root / FOLDER).is_dir() else root.parents[1]
        target = FOLDER if self.target_name == "sdist" else f"chainproof_scan/{FOLDER}"
        for pattern in self.config["modules"]:
            files = sorted(sources.glob(pattern))
            if not files:
                raise FileNotFoundError(f"{sources} holds no {pattern}, which pyproject.toml lists.")
            for file in files:
                build_data["force_include"][str(file)] = f"{target}/{file.relative_to(sources).as_posix()}"
