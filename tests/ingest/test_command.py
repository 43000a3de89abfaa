"""`python -m ingest`: what it prints and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.__main__ import main

ROOT = Path(__file__).parents[2]
FILE_KEYS = {
    "source",
    "status",
    "reason",
    "doc_id",
    "pages",
    "pages_without_text",
    "encoding",
    "chars",
    "chunks",
    "chunks_stored",
}


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run a command with --json; gives the exit status and the JSON."""
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    monkeypatch.chdir(ROOT)

    def run(*arguments: object) -> tuple[int, dict]:
        status = main([*map(str, arguments), "--json"])
        [line] = capsys.readouterr().out.splitlines()
        return status, json.loads(line)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("Refund window is thirty days.", encoding="utf-8")
    (folder / "deep" / "知识.md").write_text("# 退款\n\n退款期限为三十天。", encoding="utf-8")
    (folder / ".hidden").write_text("no", encoding="utf-8")
    return folder


def test_add_list_stats_reindex_and_delete(call, folder):
    status, added = call("add", folder, "--kb", "我的 base")
    assert (status, added["kb"], added["chunks_total"]) == (0, "我的 base", 2)
    assert [file["source"] for file in added["files"]] == ["a.txt", "deep/知识.md"]
    assert all(set(file) >= FILE_KEYS for file in added["files"])
    assert set(added["files"][0]["seconds"]) == {"load", "chunk", "embed", "store"}
    assert call("add", folder, "--kb", "我的 base")[1]["files"][0]["status"] == "unchanged"
    listed = call("list", "--kb", "我的 base")[1]["documents"]
    assert [(d["source"], d["status"], d["chunks"], d["aliases"]) for d in listed] == [
        ("a.txt", "ready", 1, []),
        ("deep/知识.md", "ready", 1, []),
    ]
    status, again = call("reindex", "--kb", "我的 base", "--set", "ingest.chunk_size=700")
    assert (status, [file["status"] for file in again["files"]], again["chunks_total"]) == (0, ["indexed", "indexed"], 2)
    stats = call("stats", "--kb", "我的 base")[1]
    assert (stats["documents"], stats["chunks_total"], stats["passport"]["ingest"]["chunk_size"]) == (2, 2, 700)
    assert stats["passport"]["embedder"]["dimension"] == 384
    status, gone = call("delete", "a.txt", "nothing.txt", "--kb", "我的 base")
    assert (status, [file["status"] for file in gone["files"]], gone["chunks_total"]) == (1, ["deleted", "failed"], 1)


def test_a_failed_file_ends_with_1_and_the_others_are_stored(call, folder):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "empty.txt").write_bytes(b"")
    status, added = call("add", folder)
    assert status == 1
    assert {file["source"]: file["status"] for file in added["files"]} == {
        "a.txt": "indexed",
        "broken.pdf": "failed",
        "deep/知识.md": "indexed",
        "empty.txt": "empty",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--kb", "none"], "no knowledge base 'none'"),
        (["reindex", "--kb", "none"], "no knowledge base 'none'"),
        (["add", "/nowhere/at/all.txt"], "no file or folder"),
        (["add", str(ROOT / "README.md"), "--set", "ingest.chunk_size=7"], "chunk_size"),
        (["add", str(ROOT / "README.md"), "--kb", ""], "1 to 80"),
        (["add"], "paths"),
        (["fly"], "fly"),
    ],
)
def test_wrong_use_ends_with_2_and_says_why(call, arguments, said):
    status, result = call(*arguments)
    assert (status, list(result)) == (2, ["error"])
    assert said in result["error"]


def test_a_store_folder_that_is_a_file_is_named(call, tmp_path):
    (tmp_path / "store").write_text("in the way", encoding="utf-8")
    status, result = call("list")
    assert (status, "is no folder" in result["error"]) == (2, True)


def test_another_embedder_ends_with_2_and_names_the_remedy(call, folder):
    call("add", folder)
    other = ["--set", "embeddings.provider=openai", "--set", "embeddings.model=x", "--set", "embeddings.dimension=8"]
    other += ["--set", "embeddings.base_url=http://127.0.0.1:9/v1"]
    status, result = call("add", folder, *other)
    assert (status, "python -m ingest reindex" in result["error"]) == (2, True)
    assert call("list", *other)[0] == call("stats", *other)[0] == 0
    assert call("delete", "a.txt", *other)[1]["chunks_total"] == 1


@pytest.mark.slow
def test_as_a_program_with_a_name_that_is_no_text(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "bad\udcff.txt").write_text("Some text.", encoding="utf-8")
    environment = os.environ | {"GLASSBOX_STORE__DIR": str(tmp_path / "store"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "ingest", "add", str(folder), "--json"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["files"][0]["source"] == "bad\ufffd.txt"


def test_two_files_that_would_get_one_name_are_refused_before_anything_is_stored(call, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(f"Text of {folder}.", encoding="utf-8")
    status, told = call("add", tmp_path / "a", tmp_path / "b")
    assert status == 2
    assert "README.md" in told["error"]
    assert call("list")[0] == 2


def test_a_base_may_be_named_with_any_blanks(call, folder):
    assert call("add", folder / "a.txt", "--kb", "my   base")[1]["files"][0]["status"] == "indexed"


def test_a_folder_of_unchanged_files_is_not_opened_document_by_document(call, folder, monkeypatch):
    """A thousand of them take less than two seconds: no lock and no query a file, no reader, nothing to optimize."""
    for number in range(20):
        (folder / f"{number}.txt").write_text(f"Text of {number}.", encoding="utf-8")
    call("add", folder)
    for name in ("add", "finish"):
        monkeypatch.setattr(f"ingest.pipeline.Pipeline.{name}", lambda *_: 1 / 0)
    status, told = call("add", folder)
    assert (status, {file["status"] for file in told["files"]}, told["chunks_total"]) == (0, {"unchanged"}, 22)


def test_a_file_that_is_too_large_is_not_read_whole(call, tmp_path):
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(3 * 2**30)
    status, told = call("add", tmp_path / "huge.txt", "--set", "ingest.max_file_mb=1")
    assert (status, told["files"][0]["code"]) == (1, "too_large")
