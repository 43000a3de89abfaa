"""The Chromium that the browser tests drive: `python -m tests.browser.chromium [--install]` prints its path.

With --install it is installed where it is missing; exit 1, with the remedy, if that cannot be done.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# No sandbox, as CI runs as root; the rest keeps the browser from calling its maker.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
)
PLAYWRIGHT_PATH = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
REMEDY = """\
The browser tests need Chromium, and none could be found or installed. One of these helps; then try again:
  Debian, Ubuntu, as root:  apt-get install chromium fonts-noto-cjk
  any system, online:       {python} -m playwright install chromium
  one that you have:        CHROMIUM=/path/to/chromium make test"""


def find() -> Path | None:
    """The first Chromium that runs: the one CHROMIUM names, the system's, Playwright's own."""
    return next((path for path in _candidates() if _runs(path)), None)


def install() -> Path | None:
    """Install Chromium: with apt-get as root, else Playwright's own; None if neither can be had. Says what it does on stderr."""
    for command in _installers():
        if _done(command) and (path := find()):
            return path
    return None


def _candidates() -> Iterator[Path]:
    if named := os.environ.get("CHROMIUM"):
        yield Path(named)
    yield from (Path(place) for name in NAMES if (place := shutil.which(name, path=_search_path())))
    yield from APPLICATIONS
    asked = subprocess.run([sys.executable, "-c", PLAYWRIGHT_PATH], capture_output=True, text=True, check=False)
    if asked.returncode == 0:
        yield Path(asked.stdout.strip())


def _search_path() -> str:
    return os.pathsep.join(["/usr/bin", os.environ.get("PATH", "")])


def _runs(path: Path) -> bool:
    """Some distributions put a script there that only says which package to install."""
    try:
        answer = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and "Chrom" in answer.stdout


def _installers() -> Iterator[list[str]]:
    """These and no others: Playwright's --with-deps would also upgrade the system's libraries, which nobody has asked for."""
    if _is_root() and shutil.which("apt-get") and _done(["apt-get", "update"]):
        yield ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-noto-cjk"]
    yield [sys.executable, "-m", "playwright", "install", "chromium"]


def _done(command: list[str]) -> bool:
    """Run the installer, what it prints on stderr, as stdout is for the path."""
    print("$", *command, file=sys.stderr, flush=True)
    try:
        return (
            subprocess.run(command, stdout=2, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False).returncode == 0
        )
    except OSError as error:
        print(error, file=sys.stderr)
        return False


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def main() -> int:
    """Print the path of Chromium; 1 when there is none."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.chromium", description=main.__doc__)
    parser.add_argument("--install", action="store_true", help="install it where it is missing")
    path = find() or (install() if parser.parse_args().install else None)
    print(path or REMEDY.format(python=sys.executable), file=sys.stdout if path else sys.stderr)
    return 0 if path else 1


if __name__ == "__main__":
    raise SystemExit(main())
