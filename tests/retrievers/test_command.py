"""`python -m retrievers`: the same as in the app, as JSON, from several bases and within limits."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrievers import Explainer
from retrievers.__main__ import main
from tests.retrievers.conftest import Shelf

Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture(scope="module")
def shelf(make_shelf: Callable[[Path], Shelf], tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """The bases `test` and `中文`."""
    shelf = make_shelf(tmp_path_factory.mktemp("command"))
    shelf.add("refund.txt", "Refund window is thirty days.")
    shelf.add("ferry.md", "# Ferries\n\nThe last ferry to Porto leaves at ten.")
    chinese = shelf.stores.library.ensure_base("中文")
    assert shelf.pipeline.run(chinese, "退款.txt", "退款期限为三十天。".encode(), shelf.settings).status == "indexed"
    return shelf


@pytest.fixture
def run(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        status = main([*arguments, "--json", "--set", f"store.dir={shelf.settings.store.dir}"])
        (line,) = capsys.readouterr().out.splitlines()
        told: dict[str, Any] = json.loads(line)
        return status, told

    return run


def untimed(told: dict[str, Any]) -> dict[str, Any]:
    stages = [{key: value for key, value in stage.items() if key != "ms"} for stage in told["stages"]]
    return json.loads(json.dumps(told | {"stages": stages}, ensure_ascii=False))  # type: ignore[no-any-return]


def sources(told: dict[str, Any]) -> list[str]:
    return [context["source"] for context in told["contexts"]]


def test_it_prints_what_the_app_finds(shelf: Shelf, run: Run) -> None:
    status, told = run("When is the last ferry?", "--kb", "test")
    assert status == 0
    assert sources(told)[0] == "ferry.md"
    assert untimed(told) == untimed(shelf.find("When is the last ferry?").as_json())


@pytest.mark.parametrize("expected", ["ferry to porto", "No such sentence is anywhere"])
def test_what_was_expected_is_explained_as_in_the_app(shelf: Shelf, run: Run, expected: str) -> None:
    status, told = run("refund", "--kb", "test", "--expect", expected, "--k", "1")
    assert status == 0
    settings = shelf.settings.override({"retrieval.top_k": 1})
    explained = Explainer(shelf.retriever, shelf.stores.library, [shelf.base], settings).explain("refund", expected).as_json()
    assert told["expected"] == json.loads(json.dumps(explained))
    assert told["expected"]["in_index"] is (expected == "ferry to porto")
    if told["expected"]["fates"]:
        (fate,) = told["expected"]["fates"]
        assert (fate["place"], fate["remedies"][0]) == ("top_k", {"retrieval.top_k": 2})
    assert "expected" not in run("refund", "--kb", "test")[1]


def test_several_bases(run: Run) -> None:
    status, told = run("退款期限", "--kb", "test", "--kb", "中文", "--kb", "test", "--expect", "退款期限为三十天")
    assert status == 0
    assert sources(told)[0] == "退款.txt"
    assert {context["base"] for context in told["contexts"]} == {"test", "中文"}
    assert len(told["contexts"]) == len({context["chunk_id"] for context in told["contexts"]}) == 3
    assert [fate["base"] for fate in told["expected"]["fates"]] == ["中文"]


def test_limits(run: Run) -> None:
    bases = ("--kb", "test", "--kb", "中文")
    assert sources(run("refund", *bases, "--filter", "type=md")[1]) == ["ferry.md"]
    both = run("refund", *bases, "--filter", "source=re*", "--filter", "source=退款*", "--expect", "last ferry")[1]
    assert set(sources(both)) == {"refund.txt", "退款.txt"}
    assert both["expected"]["fates"][0]["reason"] == "filtered_out"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("refund", "--filter", "colour=red"), "'colour=red' is no filter"),
        (("refund", "--kb", "missing"), "There is no knowledge base 'missing'"),
        (("  ",), "The query is empty"),
        (("refund", "--expect", " "), "The expected passage is empty"),
        (("refund", "--k", "0"), "retrieval.top_k"),
    ],
)
def test_wrong_use_is_named(run: Run, arguments: tuple[str, ...], said: str) -> None:
    status, told = run(*arguments)
    assert status == 2
    assert said in told["error"]


def test_what_cannot_be_read_of_a_base_is_named_and_no_traceback(shelf: Shelf, run: Run) -> None:
    damaged = shelf.stores.library.ensure_base("damaged")
    assert shelf.pipeline.run(damaged, "a.txt", b"Ferries leave at ten.", shelf.settings).status == "indexed"
    for file in shelf.stores.library.chunk_folder(damaged).glob("*.lance/data/*"):
        file.unlink()
    for more in ((), ("--expect", "leave at ten")):
        status, told = run("ferries", "--kb", "damaged", *more)
        assert status == 2
        assert set(told) == {"error"}
        assert "The store in" in told["error"]


def test_an_empty_base_has_nothing_and_says_so(shelf: Shelf, run: Run) -> None:
    shelf.stores.library.ensure_base("empty")
    status, told = run("ferries", "--kb", "empty", "--expect", "leave at ten")
    assert (status, told["contexts"], told["expected"]["in_index"], told["expected"]["notes"]) == (0, [], False, [])
