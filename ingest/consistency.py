"""Whether a base is whole: rows, chunks, texts, vectors and kept files agree; and how it is made so again."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.edits import apply, is_in_step
from ingest.pipeline import Pipeline
from ingest.report import FileReport
from settings import Settings
from store.census import CHUNK
from store.changes import Changes
from store.edit_rows import NO_EDITS
from store.library import Base, StoredDocument
from store.packed import OVERRIDE
from store.stores import Stores

_REPAIR = "Run `python -m ingest check --repair`."
_ADD_AGAIN = "Add the file again."
_NARROW = ("id", "doc_id", "version", "source", "start", "end", "text", "kind", "parent_id", "enabled", "metadata")
_COLUMNS = (*_NARROW, "vector", "segments", "segment_vectors")


@dataclass(frozen=True)
class Problem:
    """What is wrong with a document (or, without a source, with the base), and the remedy; `params` say more of it.

    Kinds: pending, file_gone, file_changed, chunk_count, orphan, double_id, wrong_version, wrong_source, wrong_text,
    wrong_vector, wrong_parent, wrong_edits, wrong_dimension, no_index.
    """

    kind: str
    source: str
    reason: str
    remedy: str
    doc_id: str | None = None
    params: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The problem as a file that failed."""
        said = f"{self.source}: " if self.source else ""
        reason = f"{said}{self.reason}. {self.remedy}"
        shown = {"source": self.source, "status": "failed", "reason": reason, "doc_id": self.doc_id, "params": self.params}
        return shown | {"code": self.kind}


def check(stores: Stores, base: Base) -> list[Problem]:
    """What is wrong with a base; [] when it is whole. Nothing is changed; the base is not written to meanwhile."""
    changes = Changes(stores)
    with changes.of(base) as now:
        pending = [
            Problem("pending", change.source, "a change was left half done", _REPAIR, change.doc_id)
            for change in changes.left(now)
        ]
        return [*pending, *_Check(stores, now).run()]


def repair(pipeline: Pipeline, stores: Stores, base: Base, settings: Settings) -> list[FileReport]:
    """Remove what belongs to no document and index again, as the base was, what is broken; reports of what was indexed.

    What processes left half done is for Pipeline.recover, first. Files that are gone cannot be brought back by this.
    """
    found = check(stores, base)
    known = {document.doc_id: document for document in stores.library.documents(base)}
    orphans = sorted({problem.doc_id for problem in found if problem.doc_id and problem.doc_id not in known})
    if orphans:
        with Changes(stores).of(base) as now:
            stores.open_any(now).delete_documents(orphans)
    chosen = settings.override({f"ingest.{key}": value for key, value in base.passport.get("ingest", {}).items()})
    broken = dict.fromkeys(
        p.doc_id for p in found if p.doc_id in known and p.kind not in ("file_gone", "file_changed", "pending", "wrong_edits")
    )
    for problem in found:
        if problem.kind == "file_changed":
            stores.library.files.drop_broken(str(problem.params["version"]))
    reports = [pipeline.anew(base, known[str(doc_id)], chosen) for doc_id in broken]
    with Changes(stores).of(base) as now:
        for problem in found:
            if problem.kind == "wrong_edits" and problem.doc_id not in broken:
                apply(stores, now, known[str(problem.doc_id)], chosen)
    if found:
        pipeline.finish(base)
    return reports


class _Check:
    """One look through a base."""

    def __init__(self, stores: Stores, base: Base) -> None:
        self._stores, self._library, self._base, self._chunks = stores, stores.library, base, stores.open_any(base)
        self._documents = {document.doc_id: document for document in self._library.documents(base)}
        self._counts: Counter[str | None] = Counter()
        self._strays: Counter[str | None] = Counter()
        self._ids: Counter[str] = Counter()
        self._written: list[tuple[str, str]] = []
        self._edited = {document.doc_id for document in self._documents.values() if document.edited != NO_EDITS}
        self._wrong: dict[tuple[str, str | None], int] = defaultdict(int)
        self._sources: dict[str | None, str] = {}
        self._text = lru_cache(maxsize=4)(self._library.text)

    def run(self) -> list[Problem]:
        found = [*self._of_the_base(), *(problem for document in self._documents.values() for problem in self._of_file(document))]
        for rows in self._chunks.scan(_COLUMNS):
            self._look_at(rows)
        for doc_id, parent_id in self._written:
            if parent_id not in self._ids:
                self._wrong["wrong_parent", doc_id] += 1
        for document in self._documents.values():
            found.extend(self._of_count(document))
        found.extend(self._orphans())
        found.extend(self._of_edits(self._documents[doc_id]) for doc_id in sorted(self._edited) if not self._in_step(doc_id))
        found.extend(self._of_chunks(kind, doc_id, count) for (kind, doc_id), count in self._wrong.items())
        return found

    def _of_the_base(self) -> list[Problem]:
        built = self._base.passport.get("embedder", {}).get("dimension")
        found = []
        if "embed_text" not in self._chunks.indexed_columns():
            found.append(Problem("no_index", "", "the full text has no index", _REPAIR))
        if self._documents and built not in (None, self._chunks.dimension):
            reason = f"the vectors have {self._chunks.dimension} numbers and the passport says {built}"
            found.append(Problem("wrong_dimension", "", reason, "Run `python -m ingest reindex`."))
        return found

    def _of_file(self, document: StoredDocument) -> list[Problem]:
        files, params = self._library.files, {"version": document.version}
        if files.is_whole(document.version):
            return []
        if not files.has(document.version):
            return [
                Problem(
                    "file_gone", document.source, "its original file is not kept any more", _ADD_AGAIN, document.doc_id, params
                )
            ]
        reason = "its kept file is not what was added"
        remedy = f"{_REPAIR} Then add the file again."
        return [Problem("file_changed", document.source, reason, remedy, document.doc_id, params)]

    def _of_count(self, document: StoredDocument) -> list[Problem]:
        there, told = self._counts[document.doc_id], document.report.get("chunks_stored", document.chunks)
        if there == document.chunks == told and (there > 0 or document.status != "ready"):
            return []
        reason = f"it should have {document.chunks} chunks and has {there}"
        params = {"expected": document.chunks, "found": there}
        return [Problem("chunk_count", document.source, reason, _REPAIR, document.doc_id, params)]

    def _orphans(self) -> list[Problem]:
        return [
            Problem("orphan", self._sources.get(doc_id, ""), f"{count} chunks belong to no document", _REPAIR, doc_id)
            for doc_id, count in self._strays.items()
        ]

    def _in_step(self, doc_id: str) -> bool:
        return is_in_step(self._stores, self._base, self._documents[doc_id])

    def _of_edits(self, document: StoredDocument) -> Problem:
        reason = "its chunks are not what was switched off or corrected"
        return Problem("wrong_edits", document.source, reason, _REPAIR, document.doc_id)

    def _of_chunks(self, kind: str, doc_id: str | None, count: int) -> Problem:
        said = {
            "double_id": "chunks are there twice",
            "wrong_version": "chunks are of another version",
            "wrong_source": "chunks bear another name",
            "wrong_text": "chunks are not what stands in the text",
            "wrong_vector": "chunks have vectors of zeros, of no numbers, or too few",
            "wrong_parent": "written texts belong to no chunk",
        }
        return Problem(kind, self._sources.get(doc_id, ""), f"{count} {said[kind]}", _REPAIR, doc_id, {"count": count})

    def _look_at(self, rows: pa.Table) -> None:
        sound = _sound(rows)
        narrow = rows.select(list(_NARROW)).to_pylist()
        for row, vectors_are_sound in zip(narrow, sound, strict=True):
            doc_id = row["doc_id"]
            is_chunk = row["kind"] == CHUNK
            self._counts[doc_id] += is_chunk  # 0 for what was written for one, so that the document is known
            self._ids[row["id"]] += 1
            document = self._documents.get(doc_id)
            self._sources.setdefault(doc_id, document.source if document else row["source"])
            if document is None:
                self._strays[doc_id] += 1
                continue
            if is_chunk and (not row["enabled"] or OVERRIDE in row["metadata"]):
                self._edited.add(doc_id)
            if not is_chunk:
                self._written.append((doc_id, row["parent_id"]))
            wrong = {
                "double_id": self._ids[row["id"]] > 1,
                "wrong_version": row["version"] != document.version,
                "wrong_source": row["source"] != document.source,
                "wrong_text": is_chunk and row["text"] != self._text(doc_id)[row["start"] : row["end"]],
                "wrong_vector": not vectors_are_sound,
            }
            for kind in (kind for kind, is_wrong in wrong.items() if is_wrong):
                self._wrong[kind, doc_id] += 1


def _sound(rows: pa.Table) -> list[bool]:
    """Of each row, whether all its vectors are finite, none is zero, and each segment has one."""
    own, spans = rows["segment_vectors"].combine_chunks(), rows["segments"].combine_chunks()
    counts = pc.fill_null(pc.list_value_length(own), 0).to_numpy(zero_copy_only=False)
    as_many = (counts == pc.fill_null(pc.list_value_length(spans), 0).to_numpy(zero_copy_only=False)) & (counts > 0)
    broken = np.bincount(np.repeat(np.arange(len(rows)), counts)[~_usable(_matrix(own.flatten()))], minlength=len(rows))
    sound: list[bool] = (_usable(_matrix(rows["vector"].combine_chunks())) & as_many & (broken == 0)).tolist()
    return sound


def _matrix(column: pa.Array) -> np.ndarray[Any, np.dtype[np.float32]]:
    values: np.ndarray[Any, np.dtype[np.float32]] = column.flatten().to_numpy(zero_copy_only=False)
    return values.reshape(-1, column.type.list_size)


def _usable(vectors: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Of each vector, whether it is finite and not zero."""
    usable: np.ndarray[Any, np.dtype[np.bool_]] = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
    return usable
