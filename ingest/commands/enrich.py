"""`python -m ingest enrich [NAME…]`: a chat model writes for the chunks of a base what ingest.enrich switches on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ingest.commands.opening import open_pipeline
from ingest.enrich.estimate import Estimate
from ingest.enrich.registry import role_of
from ingest.enrich.report import Enriched
from ingest.enrich.run import Enrichment, no_model
from models import get_chat_model
from settings import Settings, cli, load_secrets
from store.library import Base, Library, Status, StoredDocument


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="documents (default: all of the base)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--estimate", action="store_true", help="only say how many calls and tokens it would take")
    what.add_argument("--remove", action="store_true", help="take out and forget what was written")


def enrich(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Write, after the cost was told; or only tell the cost; or remove what was written."""
    pipeline, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    secrets = load_secrets()
    writer, vision = (get_chat_model(settings, secrets, role=role) for role in ("rewrite", "vision"))
    enrichment = Enrichment(stores, settings, writer, pipeline=pipeline, vision=vision)
    documents, missing = _documents(stores.library, base, call.names, statuses=enrichment.statuses)
    if call.remove:
        files = [enrichment.remove(base, document).as_json() for document in documents]
        pipeline.finish(base)
        return {"kb": base.name, "files": files + missing}
    if not enrichment.kinds:
        raise cli.WrongUse("Nothing is switched on. Add --set ingest.enrich.questions.enabled=true or another kind.")
    estimate = enrichment.estimate(base, documents)
    models = {kind: settings.llm.of(role_of(kind)).model for kind in enrichment.kinds}
    named = ", ".join(dict.fromkeys(filter(None, models.values())))
    about = {"kb": base.name, "model": named or None, "models": models, "kinds": enrichment.kinds, "estimate": estimate.as_json()}
    about |= {"limits": {"calls": settings.ingest.enrich.max_calls, "tokens": settings.ingest.enrich.max_tokens}}
    if call.estimate:
        return about | {"files": missing}
    if enrichment.lacking:
        raise no_model(enrichment.lacking)
    if not call.json:
        _tell(f"{_cost(estimate, settings, models)}\n")
    files = [report.as_json() for report in _run(enrichment, base, documents, quiet=call.json)]
    pipeline.finish(base)
    made = {"calls": enrichment.budget.calls, "tokens": enrichment.budget.tokens, "stopped": enrichment.budget.stopped}
    return about | made | {"left": sum(file["left"] for file in files), "files": files + missing}


def _documents(
    library: Library, base: Base, names: Sequence[str], *, statuses: Collection[Status]
) -> tuple[list[StoredDocument], list[dict[str, Any]]]:
    """The documents that are meant and can be written for, and a report of each name that is none."""
    if not names:
        return library.documents(base, statuses=statuses), []
    found = {name: library.find(base, name) for name in names}
    ready = {document.doc_id: document for document in found.values() if document is not None and document.status in statuses}
    missing = [
        {"source": name, "status": "failed", "reason": f"{name}: no document of that name that can be searched"}
        for name, document in found.items()
        if document is None or document.status not in statuses
    ]
    return list(ready.values()), missing


def _run(enrichment: Enrichment, base: Base, documents: Sequence[StoredDocument], *, quiet: bool) -> list[Enriched]:
    reports = []
    for event in enrichment.run(base, documents):
        if isinstance(event, Enriched):
            reports.append(event)
            if not quiet:
                reason = f", {event.reason.removeprefix(f'{event.source}: ')}" if event.reason else ""
                _tell(f"[{len(reports)}/{len(documents)}] {event.source}: {event.status}, calls: {event.calls}{reason}\n")
    return reports


def _cost(estimate: Estimate, settings: Settings, models: Mapping[str, str]) -> str:
    limits, model = settings.ingest.enrich, ", ".join(dict.fromkeys(models.values()))
    price = estimate.cost(models, settings.prices)
    money = f", about {price:.4g} {settings.prices.currency}" if price is not None else ""
    kept = sum(share.kept for share in estimate.kinds.values())
    return (
        f"{estimate.calls} calls of {model}, about {estimate.tokens} tokens{money} ({kept} answers are there already); "
        f"at most {limits.max_calls} calls and {limits.max_tokens} tokens are made in this run."
    )


def _tell(text: str) -> None:
    visible = "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(visible.encode(encoding, "replace").decode(encoding))
    sys.stderr.flush()
