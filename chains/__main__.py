"""`python -m chains QUESTION`: the answer with its citations and all that was found, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from chains.turn import Turn
from models import ModelError, get_chat_model, get_embeddings
from retrievers import Retriever
from settings import SettingsError, load_secrets, load_settings
from store.database import connect
from store.errors import StoreError
from store.library import Library
from store.stores import Stores


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one question; returns the exit status: 0, or 2 for wrong use."""
    call = _parser().parse_args(arguments)
    try:
        settings = load_settings([*call.set, *([f"retrieval.top_k={call.k}"] if call.k else [])])
        secrets = load_secrets()
        library = Library(connect(settings.store.dir), folder=settings.store.dir)
        stores = Stores(library, get_embeddings(settings, secrets), settings)
        turn = Turn(Retriever(stores), library.base(call.kb), settings, model=get_chat_model(settings, secrets))
        answer = turn.ask(call.question, _history(call.history))
    except (SettingsError, StoreError, ModelError) as error:
        print(json.dumps({"error": str(error)}, ensure_ascii=False) if call.json else f"error: {error}")
        return 2
    print(json.dumps(answer, ensure_ascii=False, indent=None if call.json else 2))
    return 0


def _history(file: Path | None) -> list[tuple[str, str]]:
    """[{"role": "user" | "assistant", "content"}] from a JSON file."""
    if file is None:
        return []
    try:
        messages = json.loads(file.read_text(encoding="utf-8"))
        return [("human" if message["role"] == "user" else "ai", str(message["content"])) for message in messages]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f'{file} is no history. It must be a JSON list of {{"role": "user", "content": "…"}}.') from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chains", description=__doc__)
    parser.add_argument("question")
    parser.add_argument("--history", type=Path, metavar="FILE", help="the conversation so far, as JSON")
    parser.add_argument("--kb", default="default", metavar="NAME", help="the knowledge base (default: default)")
    parser.add_argument("--k", type=int, metavar="N", help="how many contexts (retrieval.top_k)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override a setting")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
