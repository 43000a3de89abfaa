"""`python -m retrievers QUERY [--expect TEXT]`: what is found for a question, with every score, and why a passage is not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from models import ModelError, get_chat_model, get_embeddings
from retrievers.build import Retriever
from retrievers.explain import Explainer
from retrievers.filter import Filter, InvalidFilter
from settings import cli, load_secrets
from store.errors import StoreError
from store.stores import open_stores


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one query; returns the exit status: 0, or 2 for wrong use."""
    return cli.run(_parser(), arguments, _retrieve, errors=(StoreError, ModelError, InvalidFilter))


def _retrieve(call: argparse.Namespace) -> dict[str, Any]:
    if not call.query.strip():
        raise cli.WrongUse("The query is empty. Ask something, in quotation marks if it has several words.")
    if call.expect is not None and not call.expect.strip():
        raise cli.WrongUse("The expected passage is empty. Give some words of it, or the id of a chunk.")
    settings, secrets, limits = cli.settings_of(call), load_secrets(), Filter.parse(call.filter)
    cache = settings.store.dir / "cache"
    stores = open_stores(settings, get_embeddings(settings, secrets, cache=cache / "embeddings"))
    retriever, model = Retriever(stores, secrets, cache=cache), get_chat_model(settings, secrets, role="rewrite")
    bases = [stores.library.base(name) for name in dict.fromkeys(call.kb or ["default"])]
    found = retriever.retrieve(call.query, bases, settings, model=model, limits=limits).as_json()
    if call.expect is None:
        return found
    explainer = Explainer(retriever, stores.library, bases, settings, model=model, limits=limits)
    return found | {"expected": explainer.explain(call.query, call.expect).as_json()}


def _parser() -> cli.Parser:
    parser = cli.Parser(prog="python -m retrievers", description=__doc__)
    parser.add_argument("query")
    parser.add_argument("--expect", metavar="TEXT", help="a passage, or the id of a chunk, that should have been found")
    cli.add_options(parser, search=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
