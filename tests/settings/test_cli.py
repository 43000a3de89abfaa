"""What the command lines have in common."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from settings import cli


def run(capsys: pytest.CaptureFixture[str], result: Any, *arguments: str) -> tuple[int, str, str]:
    parser = cli.Parser(prog="test")
    cli.add_options(parser, search=True)

    def act(call: argparse.Namespace) -> dict[str, Any]:
        if isinstance(result, Exception):
            raise result
        return {"top_k": cli.settings_of(call).retrieval.top_k, **result}

    status = cli.run(parser, arguments, act, errors=(ZeroDivisionError,))
    return status, *capsys.readouterr()


def test_k_and_set_reach_the_settings_and_k_wins(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(run(capsys, {}, "--k", "3", "--set", "retrieval.top_k=5")[1])["top_k"] == 3
    assert json.loads(run(capsys, {}, "--set", "retrieval.top_k=5")[1])["top_k"] == 5


def test_a_failed_file_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, {"files": [{"status": "indexed"}, {"status": "failed"}]})[0] == cli.SOME_FAILED
    assert run(capsys, {"files": [{"status": "indexed"}]})[0] == cli.OK


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError("Divide by less."), "Divide by less."),
        (
            PermissionError(13, "Permission denied", "a.txt"),
            "a.txt cannot be read or written (Permission denied). Check the path",
        ),
        (FileNotFoundError("There is no file a.txt."), "There is no file a.txt."),
    ],
)
def test_an_error_is_json_on_standard_output_or_text_on_standard_error(
    capsys: pytest.CaptureFixture[str], error: Exception, said: str
) -> None:
    status, out, err = run(capsys, error, "--json")
    assert (status, list(json.loads(out)), err) == (cli.WRONG_USE, ["error"], "")
    assert json.loads(out)["error"].startswith(said)
    status, out, err = run(capsys, error)
    assert (status, out) == (cli.WRONG_USE, "")
    assert err.startswith(f"error: {said}")


def test_an_unexpected_error_is_not_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError):
        run(capsys, KeyError("x"), "--json")


def test_a_lone_surrogate_is_printed_as_a_question_mark(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(run(capsys, {"text": "a\ud800b 知识"})[1])["text"] == "a?b 知识"
