"""`python -m retrievers QUERY`: what is found for a question, with every score, as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from models import ModelError, get_embeddings
from retrievers.build import Retriever
from settings import cli, load_secrets
from store.errors import StoreError
from store.stores import open_stores


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one query; returns the exit status: 0, or 2 for wrong use."""
    return cli.run(_parser(), arguments, _retrieve, errors=(StoreError, ModelError))


def _retrieve(call: argparse.Namespace) -> dict[str, Any]:
    if not call.query.strip():
        raise cli.WrongUse("The query is empty. Ask something, in quotation marks if it has several words.")
    settings = cli.settings_of(call)
    stores = open_stores(settings, get_embeddings(settings, load_secrets()))
    return Retriever(stores).retrieve(call.query, stores.library.base(call.kb), settings).as_json()


def _parser() -> cli.Parser:
    parser = cli.Parser(prog="python -m retrievers", description=__doc__)
    parser.add_argument("query")
    cli.add_options(parser, k=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
