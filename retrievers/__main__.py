"""`python -m retrievers QUERY`: what is found for a question, with every score, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from models import ModelError, get_embeddings
from retrievers.build import Retriever
from settings import SettingsError, load_secrets, load_settings
from store.database import connect
from store.errors import StoreError
from store.library import Library
from store.stores import Stores


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one query; returns the exit status: 0, or 2 for wrong use."""
    call = _parser().parse_args(arguments)
    try:
        settings = load_settings([*call.set, *([f"retrieval.top_k={call.k}"] if call.k else [])])
        library = Library(connect(settings.store.dir), folder=settings.store.dir)
        stores = Stores(library, get_embeddings(settings, load_secrets()), settings)
        found = Retriever(stores).retrieve(call.query, library.base(call.kb), settings)
    except (SettingsError, StoreError, ModelError) as error:
        print(json.dumps({"error": str(error)}, ensure_ascii=False) if call.json else f"error: {error}")
        return 2
    print(json.dumps(found.as_json(), ensure_ascii=False, indent=None if call.json else 2))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m retrievers", description=__doc__)
    parser.add_argument("query")
    parser.add_argument("--kb", default="default", metavar="NAME", help="the knowledge base (default: default)")
    parser.add_argument("--k", type=int, metavar="N", help="how many contexts (retrieval.top_k)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override a setting")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
