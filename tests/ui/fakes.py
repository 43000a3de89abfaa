"""A small stand-in for ui/services.py: real library, chats and preferences; jobs and retrieval that are instant and repeatable.

For drawing the page only. What the page shows on real retrieval is tested in tests/browser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chains.cache import AnswerCache
from ingest.jobs import Upload
from ingest.standing import FileProgress, Standing
from retrievers import Filter
from retrievers.ledger import recording
from retrievers.queries import Query
from retrievers.self_query import SelfQuery
from settings import Settings, load_settings
from store.chats import Chats, Preferences
from store.database import connect, now
from store.library import Library, StoredDocument, document_id
from store.presets import Presets
from store.queue import FINE, Kind
from tests.standin import keep


class FakeJobs:
    """Indexes at once, one chunk a file; `held` keeps files running until `release`.

    "bad" in a name fails without a code, as in reports of older versions, "locked" with one.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.files: dict[str, FileProgress] = {}
        self.submitted: list[tuple[str, str, Settings]] = []
        self.waiting: dict[str, Upload] = {}
        self.held = False

    def submit(self, base_name: str, uploads: Sequence[Upload], settings: Settings) -> list[str]:
        self.library.ensure_base(base_name)
        ids = []
        for upload in uploads:
            self.submitted.append((base_name, upload.name, settings))
            name = str(len(self.submitted))
            self.files[name] = FileProgress(name, base_name, upload.name, "running", stage="embed", done=3, total=9)
            self.waiting[name] = upload
            ids.append(name)
        if not self.held:
            self.release()
        return ids

    def release(self) -> None:
        for name, upload in self.waiting.items():
            if "bad" in upload.name:
                outcome: dict[str, Any] = {"status": "failed", "reason": f"{upload.name}: broken. Save it again."}
            elif "locked" in upload.name:
                report = {"code": "password", "params": {}}
                outcome = {"status": "failed", "reason": f"{upload.name}: the PDF is protected.", "report": report}
            else:
                self._store(self.files[name].base, upload)
                outcome = {"status": "indexed", "report": {"chunks": 1, "encoding": "gb18030", "pages_without_text": 2}}
            self.files[name] = replace(self.files[name], **outcome)
        self.waiting = {}

    def standing(self, base_name: str, *, most: int = 60) -> Standing:
        kinds: dict[Kind, list[FileProgress]] = {}
        for file in self.files.values():
            if file.base == base_name:
                is_fine = file.status in FINE and not (file.report or {}).get("warnings")
                kind: Kind = "under_way" if not file.finished else "fine" if is_fine else "amiss"
                kinds.setdefault(kind, []).append(file)
        counts = {kind: len(files) for kind, files in kinds.items()}
        return Standing(counts, {kind: tuple(files[:most]) for kind, files in kinds.items()})

    def unfinished(self, names: Collection[str]) -> set[str]:
        return {name for name in names if name in self.files and not self.files[name].finished}

    def left(self, base_name: str) -> int:
        queue = self.standing(base_name)
        return queue.total - queue.done

    def busy(self, base_name: str) -> bool:
        return self.left(base_name) > 0

    def clear_finished(self, base_name: str) -> None:
        self.files = {name: file for name, file in self.files.items() if file.base != base_name or not file.finished}

    def retry(self, name: str) -> None:
        self.files.pop(name, None)

    def _store(self, base_name: str, upload: Upload) -> None:
        base = self.library.base(base_name)
        text = upload.data.decode("utf-8", "replace")
        version = keep(self.library, upload.data)
        doc_id = document_id(base, upload.name)
        self.library.put(base, StoredDocument(doc_id, base.id, upload.name, version, "ready", 1, {}, now()), text=text)


class FakeTurn:
    """Answers with the first context, refuses what has "weather" in it, fails at "explode"."""

    def __init__(self, services: FakeServices, settings: Settings, bases: list[str], limits: Filter) -> None:
        self.services, self.settings, self.bases, self.limits = services, settings, bases, limits
        self.alone: tuple[str, str] = ("", "as_asked")

    def stream(
        self, question: str, history: Sequence[Any] = (), *, standalone: str | None = None, anew: bool = False
    ) -> Iterator[dict[str, Any]]:
        self.services.histories.append(list(history))
        self.services.standalones.append(standalone)
        self.services.routes.append(self.settings.conversation.route)
        self.alone = _alone(question, history, standalone)
        found = self.services.retrieve(self.alone[0], self.settings, self.bases, self.limits)
        yield {"event": "retrieved", "retrieval": found}
        if "explode" in question:
            raise RuntimeError("The model at <b>host</b> is down. Start it again.")
        if "weather" in question or not found["contexts"]:
            reason = {"code": "weak_evidence", "params": {"evidence": 0.8996, "threshold": 0.9}}
            yield {"event": "answer", "answer": self._answer(question, found, "", refused=True, reason=reason)}
            return
        text = f"{found['contexts'][0]['text']} [1]"
        for word in text.split(" "):
            yield {"event": "token", "text": word + " "}
        yield {"event": "answer", "answer": self._answer(question, found, text)}

    def _answer(
        self, question: str, found: dict[str, Any], text: str, *, refused: bool = False, reason: Any = None
    ) -> dict[str, Any]:
        first = found["contexts"][0] if found["contexts"] else {}
        place = {key: first.get(key) for key in ("chunk_id", "doc_id", "source", "page", "start", "end")}
        citations = [] if refused else [{"n": 1, **place, "quote": first["text"]}]
        alone, by = self.alone
        asked = {"question": question, "standalone_question": alone, "standalone_by": by}
        more = {**asked, **_routed(self.settings), "mode": "extractive", "usage": {}}
        return {**found, **more, "answer": text, "refused": refused, "reason": reason, "citations": citations, "error": None}


def _alone(question: str, history: Sequence[Any], standalone: str | None) -> tuple[str, str]:
    """What is searched for: what a person wrote out, or of a follow-up with its the question with its subject."""
    if standalone:
        return standalone, "by_person" if standalone != question else "as_asked"
    return (
        (question.replace("its", "the refund period's"), "by_rules")
        if history and " its " in question
        else (question, "as_asked")
    )


def _routed(settings: Settings) -> dict[str, Any]:
    """The simple route where none is fixed; complex has twice the passages."""
    fixed = settings.conversation.route
    by, why = ("features", "one_thing") if fixed == "auto" else ("setting", "chosen")
    changes = {"retrieval.top_k": 16} if fixed == "complex" else {}
    routing = {"by": by, "why": why, "params": {}, "changes": changes, "queries": [], "lacking": []}
    return {"route": "simple" if fixed == "auto" else fixed, "routing": routing}


class FakeServices:
    """The shape of ui.services.Services over a folder."""

    def __init__(self, folder: Path) -> None:
        engine = self._engine = connect(folder)
        self.library = Library(engine, folder=folder)
        self.chats, self.preferences, self.presets = Chats(engine), Preferences(engine), Presets(engine)
        self.jobs = FakeJobs(self.library)
        self.answers = AnswerCache(folder / "answers")
        self.histories: list[list[Any]] = []
        self.standalones: list[str | None] = []
        self.routes: list[str] = []
        self.own: list[set[str]] = []
        self.explained: list[Settings] = []
        self.retrieved: list[str] = []
        self.settings_used: list[Settings] = []
        self.limits_used: list[Filter] = []

    def close(self) -> None:
        self._engine.dispose()

    def settings(self) -> Settings:
        return load_settings(env={})

    def open_turn(self, settings: Settings, bases: list[str], limits: Filter, own: Collection[str] = ()) -> FakeTurn:
        self.own.append(set(own))
        return FakeTurn(self, settings, bases, limits)

    def rename_base(self, name: str, new_name: str) -> str:
        return self.library.rename_base(name, new_name).name

    def delete_document(self, base: str, source: str) -> None:
        self.library.delete_document(document_id(self.library.base(base), source))

    def delete_base(self, name: str) -> None:
        self.library.delete_base(name)

    def retrieve(
        self, question: str, settings: Settings, bases: list[str], limits: Filter, queries: Sequence[Query] = ()
    ) -> dict[str, Any]:
        """All documents of the bases that the limits name, by name; in reverse where vectors weigh more."""
        self.retrieved.append(question)
        self.limits_used.append(limits)
        self.settings_used.append(settings)
        weight = settings.retrieval.vector_weight
        names = {base.id: base.name for base in map(self.library.base, bases)}
        with recording() as book:
            if settings.retrieval.self_query.enabled:
                limits = SelfQuery(self.library).limits(question, [self.library.base(name) for name in bases], limits)
        notes = [{"code": note.code, "params": note.params} for note in book.notes]
        documents = [each for base in map(self.library.base, bases) for each in self.library.documents(base)]
        documents = [each for each in documents if not limits.sources or each.source in limits.sources]
        ordered = sorted(documents, key=lambda each: each.source, reverse=weight > 0.5)[: settings.retrieval.top_k]
        contexts = [self._context(each, rank) | {"base": names[each.base_id]} for rank, each in enumerate(ordered, start=1)]
        dropped = [{"chunk_id": "x", "source": "other.md", "stage": "fused", "reason": "below_top_k"}]
        stages = [{"name": "bm25", "ms": 1.2, "in": 0, "added": 3, "dropped": 0, "merged": 0, "out": 3}]
        weights = {"bm25": 1 - weight, "vector": weight}
        asked = [{"text": question, "kind": "original"}]
        more = {"weights": weights, "evidence": 0.93, "dropped": dropped, "stages": stages, "notes": notes}
        return {"query": question, "queries": asked, "contexts": contexts, **more}

    def explain(self, question: str, expected: str, settings: Settings, bases: list[str], limits: Filter) -> dict[str, Any]:
        """The document that holds the text, found at top_k 2; nothing where no document has it."""
        self.explained.append(settings)
        documents = self.library.documents(self.library.base(bases[0]))
        fates = [self._fate(each, bases[0]) for each in documents if expected in self.library.text(each.doc_id)]
        for fate in fates:
            if limits.sources and fate["chunk"]["source"] not in limits.sources:
                fate |= {"place": "not_recalled", "reason": "filtered_out", "remedies": []}
        return {"query": question, "expected": expected, "query_tokens": [], "fates": fates, "in_index": bool(fates)}

    def _fate(self, document: StoredDocument, base: str) -> dict[str, Any]:
        text = self.library.text(document.doc_id)
        chunk = {"id": f"c-{document.doc_id}", "doc_id": document.doc_id, "source": document.source, "text": text, "page": 3}
        legs = {"bm25": None, "vector": {"rank": 2, "score": 0.81, "of": 2}}
        fate = {"base": base, "exact": True, "place": "top_k", "reason": "below_top_k", "rank": None, "legs": legs}
        place = {"start": 0, "end": len(text), "heading": None, "enabled": True}
        remedies = [{"retrieval.top_k": 2}, {"retrieval.window.enabled": False, "retrieval.top_k": 3}]
        return {**fate, "chunk": chunk | place, "shared_words": ["refund"], "remedies": remedies}

    def _context(self, document: StoredDocument, rank: int) -> dict[str, Any]:
        text = self.library.text(document.doc_id)
        end = min(len(text), 40)
        scores = {"vector": {"rank": rank, "score": 0.9 - rank / 50}, "fused": {"rank": rank, "score": 2.0 - rank / 3}}
        if rank == 1:
            scores["bm25"] = {"rank": 1, "score": 7.25}
        place = {
            "chunk_id": f"c-{document.doc_id}",
            "doc_id": document.doc_id,
            "source": document.source,
            "page": rank,
            "heading": "Terms",
        }
        segment = {"start": 0, "end": end, "score": 0.9, "winner": True}
        span = {"start": 0, "end": len(text), "text": text, "relevance": 0.8, "segments": [segment]}
        return {**place, **span, "scores": scores, "matched_terms": ["refund"] if rank == 1 else []}
