"""The rules of the house that no other tool holds: what may stand in a committed file, and what importing a package may do."""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import SocketConnectBlockedError

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("settings", "language", "models", "store", "ingest", "retrievers", "chains", "evaluation", "ui")
PACKAGES = [name for name in ROOMS if (ROOT / name / "__init__.py").exists()]
LONGEST_MODULE = 300
REGISTRY_HOSTS = re.compile(
    rb"pypi\.org|pythonhosted\.org|anaconda\.(?:org|com)|index-url\s*[=:]|tsinghua\.edu|aliyun\.com", re.IGNORECASE
)
MACHINE_PATHS = re.compile(rb"(?<![\w.~-])/(?:home|Users|root|work|mnt)/[\w.-]|\b[A-Z]:\\\\?Users\\", re.IGNORECASE)


def committed() -> list[Path]:
    """What git would commit; without git, every file that is not hidden."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=False
    )
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name for name in os.fsdecode(listed.stdout).split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def matches(pattern: re.Pattern[bytes]) -> list[str]:
    found = []
    for path in committed():
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            if b"\0" not in line and pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line[:120].decode(errors='replace')}")
    return found


def test_there_is_a_house() -> None:
    assert {"settings", "ui"} <= set(PACKAGES)
    assert ROOT / "Makefile" in committed()


def test_no_committed_file_names_a_registry() -> None:
    assert not matches(REGISTRY_HOSTS)


def test_no_committed_file_holds_a_path_of_somebodys_machine() -> None:
    assert not matches(MACHINE_PATHS)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_pins_and_hashes_everything_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 100
    for entry in entries:
        assert re.match(r"[\w.\[\],-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_locks_hold_what_the_requirements_ask_for_and_agree() -> None:
    def pins(name: str) -> dict[str, str]:
        found = re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==([^\s;]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        return {package.lower().replace("_", "-"): version for package, version in found}

    asked, locked, development = pins("requirements.txt"), pins("requirements.lock"), pins("requirements-dev.lock")
    assert len(asked) > 10
    assert asked.items() <= locked.items()
    assert locked.items() <= development.items()
    assert pins("requirements-dev.txt").items() <= development.items()


def test_no_module_is_too_long_to_read() -> None:
    lengths = {
        path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in sources(*PACKAGES, "benchmarks")
    }
    assert not {str(path): length for path, length in lengths.items() if length > LONGEST_MODULE}


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_tests_reach_this_machine_only(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as outward, pytest.raises(SocketConnectBlockedError, match=host):
        outward.connect((host, 80))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def test_only_the_page_imports_streamlit() -> None:
    others = [
        path
        for path in committed()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] not in ("ui", "streamlit_app.py", "tests")
    ]
    assert len(others) > 10
    assert not [
        str(path.relative_to(ROOT)) for path in others if any(name.split(".")[0] == "streamlit" for name in imported(path))
    ]


def test_the_import_rules_know_every_package() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert set(rules["root_packages"]) == set(PACKAGES)
    without_streamlit = next(rule for rule in rules["contracts"] if rule.get("forbidden_modules") == ["streamlit"])
    assert set(without_streamlit["source_modules"]) == set(PACKAGES) - {"ui"}


def raw_html(path: Path) -> Iterator[ast.expr]:
    """The first argument of every call that puts HTML on the page."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        unsafe = any(word.arg == "unsafe_allow_html" and ast.unparse(word.value) != "False" for word in node.keywords)
        if unsafe or ast.unparse(node.func).endswith((".html", ".iframe")):
            yield node.args[0] if node.args else node


def test_html_on_the_page_is_a_literal_or_made_with_escaping() -> None:
    """A module that builds HTML escapes with ui.safe; any other module may only show literals, or what such a module built."""
    outside = [
        str(p.relative_to(ROOT))
        for p in sources(*(set(PACKAGES) - {"ui"}))
        if "unsafe_allow_html" in p.read_text(encoding="utf-8")
    ]
    assert not outside
    page = [*sources("ui"), *(p for p in [ROOT / "streamlit_app.py"] if p.exists())]
    escaping = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in page if "ui.safe" in imported(path)}
    for path in page:
        for argument in raw_html(path):
            trusted = isinstance(argument, ast.Constant) or "ui.safe" in imported(path) or escaping & imported(path)
            assert trusted, (
                f"{path.relative_to(ROOT)}:{argument.lineno} shows HTML that nothing has escaped: {ast.unparse(argument)}"
            )


# Imports every module of some packages (a page's script, a __main__ are run, not imported) and fails at a warning, a file
# written, a process started or a connection made.
IMPORT_ALL = """
import importlib, pkgutil, sys, warnings
warnings.simplefilter("error")
for sunset in ("langchain-community", "langchain-experimental"):
    warnings.filterwarnings("ignore", message=f"`{sunset}` is being sunset", category=DeprecationWarning)
started = {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.mkdir", "os.chdir", "os.remove", "sqlite3.connect"}
deeds = []
def watch(event, args):
    written = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+") and args[0] != "/dev/null"
    if written or event in started:
        deeds.append((event, *map(str, args[:2])))
sys.addaudithook(watch)
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__") and ".pages." not in module.name:
            importlib.import_module(module.name)
sys.exit("\\n".join(map(str, deeds)) or 0)
"""


def test_importing_does_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", IMPORT_ALL, *PACKAGES],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
