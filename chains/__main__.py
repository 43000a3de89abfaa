"""`python -m chains QUESTION`: the answer with its citations and all that was found, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chains.turn import Turn
from models import ModelError, get_chat_model, get_embeddings
from retrievers import Filter, InvalidFilter, Retriever
from settings import SettingsError, cli, load_secrets
from store.errors import StoreError
from store.stores import open_stores


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one question; returns the exit status: 0, or 2 for wrong use."""
    return cli.run(_parser(), arguments, _answer, errors=(StoreError, ModelError, InvalidFilter))


def _answer(call: argparse.Namespace) -> dict[str, Any]:
    if not call.question.strip():
        raise cli.WrongUse("The question is empty. Ask something, in quotation marks if it has several words.")
    history, limits = _history(call.history), Filter.parse(call.filter)
    settings, secrets = cli.settings_of(call), load_secrets()
    cache = settings.store.dir / "cache"
    stores = open_stores(settings, get_embeddings(settings, secrets, cache=cache / "embeddings"))
    bases = [stores.library.base(name) for name in dict.fromkeys(call.kb or ["default"])]
    retriever, model = Retriever(stores, secrets, cache=cache), get_chat_model(settings, secrets)
    turn = Turn(retriever, bases, settings, model=model, limits=limits, own=cli.named(call))
    return turn.ask(call.question, history)


def _history(file: Path | None) -> list[tuple[str, str]]:
    """[{"role": "user" | "assistant", "content"}] from a JSON file."""
    if file is None:
        return []
    try:
        messages = json.loads(file.read_text(encoding="utf-8"))
        return [("human" if message["role"] == "user" else "ai", str(message["content"])) for message in messages]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f'{file} is no history. It must be a JSON list of {{"role": "user", "content": "…"}}.') from error


def _parser() -> cli.Parser:
    parser = cli.Parser(prog="python -m chains", description=__doc__)
    parser.add_argument("question")
    parser.add_argument("--history", type=Path, metavar="FILE", help="the conversation so far, as JSON")
    cli.add_options(parser, search=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
