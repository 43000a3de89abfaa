"""Ingestion: `python -m ingest` add PATH|URL… | list | delete NAME… | tag NAME… | reindex | check | preview PATH… | stats.

`watch FOLDER` keeps a base in step with a folder.
Of single documents: enrich [NAME…] | off NAME… | on NAME… | chunks NAME | correct CHUNK_ID.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from ingest.commands import add, edits, enrich, watch
from ingest.commands.given import files_at, refuse_equal_names
from ingest.commands.opening import open_pipeline
from ingest.consistency import check, repair
from ingest.errors import LoadError
from ingest.preview import preview
from ingest.progress import Teller
from ingest.reindex import Reindex
from ingest.sandbox import Sandbox
from ingest.sources import Selection
from models import ModelError, get_embeddings
from settings import Settings, cli, load_secrets
from store.errors import StoreError
from store.library import checked_tags


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 when a file failed, 2 for wrong use."""
    return cli.run(_parser(), arguments, _run, errors=(StoreError, ModelError, LoadError))


def _run(call: argparse.Namespace) -> dict[str, Any]:
    return COMMANDS[call.command](call, cli.settings_of(call))


def _list(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    _, stores = open_pipeline(settings)
    documents = stores.library.documents(stores.library.base(call.kb))
    return {
        "kb": call.kb,
        "documents": [
            d.report
            | {"status": d.status, "source": d.source, "version": d.version, "aliases": list(d.aliases), "tags": list(d.tags)}
            | {"enabled": d.enabled, "edited": {"off": d.edited.off, "corrected": d.edited.corrected, "lost": d.edited.lost}}
            for d in documents
        ],
    }


def _delete(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    pipeline, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    gone = {name: pipeline.delete(base, name) for name in call.names}
    pipeline.finish(base)
    files = [_outcome(name, "deleted" if was_there else None) for name, was_there in gone.items()]
    return {"kb": base.name, "files": files, "chunks_total": stores.open_any(base).count()}


def _tag(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    _, stores = open_pipeline(settings)
    base, tags = stores.library.base(call.kb), checked_tags(call.tag)
    found = {name: stores.library.find(base, name) for name in call.names}
    files = [_outcome(name, "tagged" if document else None) for name, document in found.items()]
    for document in filter(None, found.values()):
        stores.library.set_tags(document.doc_id, tags)
    return {"kb": base.name, "files": files, "tags": list(tags)}


def _outcome(name: str, status: str | None) -> dict[str, Any]:
    """What became of a document that a command names; without a status, there is none of that name."""
    missing = {"status": "failed", "reason": f"{name}: no document of that name", "code": "no_such_document", "params": {}}
    return {"source": name, **({"status": status, "reason": "", "code": None, "params": {}} if status else missing)}


def _stats(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    _, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    documents = stores.library.documents(base)
    return {
        "kb": base.name,
        "passport": base.passport,
        "documents": len(documents),
        "chars": sum(d.report.get("chars", 0) for d in documents),
        "chunks_total": stores.open_any(base).count(),
    }


def _check(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Whether a base (without --kb, all) is whole; a problem counts as a file that failed."""
    pipeline, stores = open_pipeline(settings)
    names = [call.kb] if call.kb else [base.name for base in stores.library.bases()]
    bases: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    if call.repair:
        pipeline.recover(settings)
    for base in map(stores.library.base, names):
        repaired = repair(pipeline, stores, base, settings) if call.repair else []
        found = check(stores, base)
        problems.extend(problem.as_json() | {"kb": base.name} for problem in found)
        counts = {"documents": len(stores.library.documents(base)), "chunks_total": stores.open_any(base).count()}
        bases.append({"kb": base.name, **counts, "problems": len(found), "repaired": [report.as_json() for report in repaired]})
    return {"bases": bases, "files": problems}


def _preview(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """How each file would be cut; nothing is stored."""
    embeddings = get_embeddings(settings, load_secrets(), cache=settings.store.dir / "cache" / "embeddings")
    with closing(Sandbox()) as sandbox:
        places = [files_at(path, Selection(), settings) for path in call.paths]
        refuse_equal_names(places)
        files = [file for place in places for file in place.files]
        documents = (sandbox.read(file.name, file.path.read_bytes(), settings.ingest) for file in files)
        return {"previews": [preview(document, settings, embeddings).as_json() for document in documents]}


def _reindex(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    pipeline, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    teller, reports = Teller(len(stores.library.documents(base)), quiet=call.json), []
    for report in Reindex(stores, base, settings, sandbox=pipeline.sandbox).run():
        teller.finished(report)
        reports.append(report.as_json())
    return {"kb": base.name, "files": reports, "chunks_total": stores.open_any(stores.library.base(call.kb)).count()}


COMMANDS = {
    "add": add.add,
    "watch": watch.watch,
    "list": _list,
    "delete": _delete,
    "tag": _tag,
    "off": edits.off,
    "on": edits.on,
    "chunks": edits.list_chunks,
    "correct": edits.correct_chunk,
    "reindex": _reindex,
    "enrich": enrich.enrich,
    "check": _check,
    "preview": _preview,
    "stats": _stats,
}


def _parser() -> cli.Parser:
    parser = cli.Parser(prog="python -m ingest", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    positionals = {"delete": "names", "tag": "names", "preview": "paths"}
    for name in COMMANDS:
        command = commands.add_parser(name)
        if name in positionals:
            command.add_argument(positionals[name], nargs="+")
        if name == "add":
            add.add_options(command)
        if name == "watch":
            watch.add_options(command)
        if name == "enrich":
            enrich.add_options(command)
        if name in edits.OPTIONS:
            edits.OPTIONS[name](command)
        if name == "tag":
            effect = "instead of those it has; without any, it has none then"
            command.add_argument("--tag", action="append", default=[], metavar="TAG", help=f"a tag of the document, {effect}")
        cli.add_options(command)
        if name == "check":
            command.set_defaults(kb=None)
            command.add_argument("--repair", action="store_true", help="do what was left half done, index what is broken again")
    return parser


if __name__ == "__main__":
    sys.exit(main())
