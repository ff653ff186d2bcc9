"""``chainproof-scan`` carries what scanning needs, loads nothing else, and can stand beside the whole."""

import ast
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import hatchling.build
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packaging" / "scan"
WHOLE, SCAN = (tomllib.loads((home / "pyproject.toml").read_text())["project"] for home in (ROOT, PACKAGE))
ONLY_IN_THE_WHOLE = {("backend.cli", "backend.cli.commands")}
"""What the command ``chainproof`` imports when it runs, which ``chainproof-scan`` does not have."""
BROUGHT = {"annotated-doc", "annotated-types", "pydantic-core", "shellingham", "typing-inspection"}
"""Libraries that it loads for those that it declares."""
OWN_PACK = """
version: 1
entities: [{id: zorbcoin, type: asset, names: {en: Zorbcoin}}]
rules:
  - id: zorbcoin-typo
    entity: zorbcoin
    type: forbidden_variant
    match: [Zorbkoin]
    specs: [{from: Zorbkoin, to: Zorbcoin}]
"""
PROGRAM = """
import sys
unpacked, libraries, *sys.argv[1:] = sys.argv[1:]
sys.path += [unpacked, libraries]
before = {*sys.modules}
import chainproof_scan
try:
    chainproof_scan.main()
finally:
    import backend.runtime.distribution
    print(sys.modules["backend"].__file__, file=sys.stderr)
    print(*{name.partition(".")[0] for name in {*sys.modules} - before}, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an installation puts beside the other packages."""
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PACKAGE)  # as the build interface wants it
        name = hatchling.build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(unpacked: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program with the libraries of this environment, and not with its ``backend``."""
    libraries = sysconfig.get_path("platlib")
    return subprocess.run(
        [sys.executable, "-IS", "-c", PROGRAM, str(unpacked), libraries, *arguments],
        cwd=folder,
        env={"CHAINPROOF_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
    )


def distributions(modules: Iterable[str]) -> set[str]:
    """Of which libraries ``modules`` are, without those of Python itself."""
    homes = packages_distributions()
    return {homes[module][0].lower().replace("_", "-") for module in modules if module in homes}


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.joinpath("__init__.py").is_file()


def list_imports(file: Path) -> Iterator[str]:
    """Modules that ``file`` imports anywhere but for type checkers."""
    nodes: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if is_module(name) else node.module for name in inner)


def test_its_modules_import_each_other_and_the_libraries_that_it_declares(unpacked: Path) -> None:
    modules = unpacked / "chainproof_scan" / "modules"
    files = {
        ".".join(file.relative_to(modules).with_suffix("").parts).removesuffix(".__init__"): file
        for file in modules.rglob("*.py")
    }
    found = {(name, other) for name, file in files.items() for other in list_imports(file)}
    own = {(name, other) for name, other in found if other.partition(".")[0] == "backend"}
    assert {(name, other) for name, other in own if other not in files} == ONLY_IN_THE_WHOLE
    declared = {re.split(r"[<>=]", requirement)[0] for requirement in SCAN["dependencies"]}
    assert distributions(other.partition(".")[0] for _, other in found - own) == declared


def test_it_carries_the_whole_catalogue_and_all_rules(unpacked: Path) -> None:
    modules = unpacked / "chainproof_scan" / "modules"
    carried = {file.relative_to(modules) for file in modules.rglob("*.yaml")}
    source_files = {
        file for folder in ("articles", "entities") for file in (ROOT / "backend" / folder).rglob("*.yaml")
    }
    assert carried == {file.relative_to(ROOT) for file in source_files}


def test_both_distributions_ask_for_the_same_versions_of_libraries() -> None:
    assert set(SCAN["dependencies"]) < set(WHOLE["dependencies"])
    assert SCAN["requires-python"] == WHOLE["requires-python"]


def test_no_file_belongs_to_both_distributions(unpacked: Path) -> None:
    described = f"chainproof_scan-{WHOLE['version']}.dist-info"
    assert {path.name for path in unpacked.iterdir()} == {"chainproof_scan", described}
    assert not SCAN["scripts"].keys() & WHOLE["scripts"].keys()


def test_it_scans_in_several_processes_and_loads_no_other_library(unpacked: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(unpacked, site)
    for pack in site.rglob("*.yaml"):
        if "articles/data" not in pack.as_posix():
            pack.unlink()  # compiling a small set in each process is quick
    (site / "chainproof_scan/modules/backend/articles/packs/own.yaml").write_text(OWN_PACK)
    line = json.dumps({"content": "Zorbkoin " + "x" * 300_000}) + "\n"
    (tmp_path / "a.jsonl").write_text(line * 4)
    result = run(site, tmp_path, "a.jsonl", "--jobs", "2", "--format", "json")
    assert result.returncode == 1, result.stderr
    found = [finding["rule_id"] for finding in json.loads(result.stdout)["findings"]]
    assert found == ["zorbcoin-typo"] * 4
    *_, backend, loaded = result.stderr.splitlines()
    assert Path(backend).is_relative_to(site)
    declared = {re.split(r"[<>=]", requirement)[0] for requirement in SCAN["dependencies"]}
    assert distributions(loaded.split()) - {"chainproof"} <= declared | BROUGHT
    assert len([*(tmp_path / "home").glob("compiled-rules-*.pickle")]) == 1


def test_it_tells_its_own_version(unpacked: Path, tmp_path: Path) -> None:
    result = run(unpacked, tmp_path, "--version")
    assert result.stdout == f"chainproof-scan {WHOLE['version']}\n"
