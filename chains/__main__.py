"""`python -m chains QUESTION`: the answer with its citations and all that was found, as JSON; `--batch FILE` for many."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from chains.batch import Batch, Line, Tally, already
from chains.cache import open_answers
from chains.questions import BatchQuestion, read_batch, read_history
from chains.turn import Turn
from models import ModelError, get_chat_models, get_embeddings
from retrievers import Filter, InvalidFilter, Retriever
from settings import cli, load_secrets
from store.errors import StoreError
from store.stores import open_stores

MOST_AT_ONCE = 32
_SHOWN = 60
"""Characters of a question that its line of progress shows."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one question or a batch; returns the exit status: 0, 1 when questions of a batch failed, or 2 for wrong use."""
    return cli.run(_parser(), arguments, _act, errors=(StoreError, ModelError, InvalidFilter), parts="failures")


def _act(call: argparse.Namespace) -> dict[str, Any]:
    if call.clear_answers:
        return {"forgotten": open_answers(cli.settings_of(call)).clear()}
    if call.batch:
        return _batch(call)
    if call.question is None:
        _parser().error("the following arguments are required: question")
    return _answer(call)


def _answer(call: argparse.Namespace) -> dict[str, Any]:
    if not call.question.strip():
        raise cli.WrongUse("The question is empty. Ask something, in quotation marks if it has several words.")
    history = read_history(call.history) if call.history else []
    return _turn(call).ask(call.question, history, anew=call.anew)


def _batch(call: argparse.Namespace) -> dict[str, Any]:
    """Answer the questions of a file but those that the file of answers has; what is written there stays."""
    if call.history:
        raise cli.WrongUse("A batch has a history for each question, in its lines. Leave out --history.")
    if not 1 <= call.at_once <= MOST_AT_ONCE:
        raise cli.WrongUse(f"--at-once must be 1 to {MOST_AT_ONCE}.")
    asked = read_batch(call.batch)
    done = already(call.out, asked) if call.out else ()
    left = [each for each in asked if each.line not in done]
    batch = Batch(_turn(call), at_once=call.at_once, anew=call.anew)
    try:
        tally = _written(batch, left, call.out)
    except KeyboardInterrupt:
        cli.tell(f"interrupted{'; the same command goes on from here' if call.out else ''}\n")
        raise SystemExit(cli.INTERRUPTED) from None
    result = {"questions": len(asked), "skipped": len(asked) - len(left), **vars(tally)}
    if call.out:
        return result | {"out": str(call.out)}
    cli.tell(f"{json.dumps(result, ensure_ascii=False)}\n")
    return cli.Printed(result)


def _written(batch: Batch, asked: Sequence[BatchQuestion], out: Path | None) -> Tally:
    """Answer, with each line at the end of the file, or on standard output, as soon as it is there."""
    if out is None:
        return batch.run(asked, lambda line: _write(line, sys.stdout, of=len(asked)))
    with out.open("a", encoding="utf-8", newline="\n") as file:
        return batch.run(asked, lambda line: _write(line, file, of=len(asked)))


def _write(line: Line, file: IO[str], *, of: int) -> None:
    file.write(f"{cli.printable(json.dumps(line, ensure_ascii=False))}\n")
    file.flush()
    cli.tell(f"line {line['line']} of {of}: {line['status']}, {line['seconds']:.1f} s: {line['question'][:_SHOWN]}\n")


def _turn(call: argparse.Namespace) -> Turn:
    settings, secrets, limits = cli.settings_of(call), load_secrets(), Filter.parse(call.filter)
    cache = settings.store.dir / "cache"
    stores = open_stores(settings, get_embeddings(settings, secrets, cache=cache / "embeddings"))
    bases = [stores.library.base(name) for name in dict.fromkeys(call.kb or ["default"])]
    retriever, models = Retriever(stores, secrets, cache=cache), get_chat_models(settings, secrets)
    return Turn(retriever, bases, settings, model=models, limits=limits, own=cli.named(call), answers=open_answers(settings))


def _parser() -> cli.Parser:
    parser = cli.Parser(prog="python -m chains", description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("question", nargs="?")
    what.add_argument("--batch", type=Path, metavar="FILE", help='a question a line, or JSON lines {"question", "history", "id"}')
    what.add_argument("--clear-answers", action="store_true", help="forget the answers of models that were kept")
    parser.add_argument("--history", type=Path, metavar="FILE", help="the conversation so far, as JSON")
    parser.add_argument("--anew", action="store_true", help="ask the model even if its answer was kept")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="where a batch's answers go, as JSON lines; what is there is skipped"
    )
    parser.add_argument("--at-once", type=int, default=4, metavar="N", help="how many questions of a batch at the same time (4)")
    cli.add_options(parser, search=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
