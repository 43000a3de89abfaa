"""Documents and single chunks are switched off and on, and the text of a chunk is corrected: for the command line and the page.

Nothing of a document's stored text changes; what is done here is kept beside it (store/edits.py) and holds for its chunks as long
as their text stands in the document. Each function returns when the change is on disk and both legs find by it. All raise
StoreError: UnknownDocument, UnknownChunk, InvalidText, EmbedderMismatch, NotWritable; `correct` ModelError too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.corrections import as_wanted
from settings import Settings
from store.census import CHUNK
from store.changes import Changes
from store.database import clean_text
from store.edits import DOCUMENT, OFF, PATCH, Edit, Place, Wanted, corrected, switched, wanted
from store.errors import InvalidText, UnknownChunk, UnknownDocument
from store.library import GONE, Base, StoredDocument
from store.schema import Chunk
from store.stored import StoredChunk, Switch
from store.stores import Stores

LONGEST = 20_000
"""Characters of a corrected chunk."""


@dataclass(frozen=True)
class Edited:
    """What became of an edit: the document, whether it is switched on, and the ids of the chunks that are other than before.

    Where chunks overlap, a correction changes its neighbours too: they hold a part of the same text.
    """

    source: str
    doc_id: str
    enabled: bool
    changed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return vars(self) | {"changed": list(self.changed)}


@dataclass(frozen=True)
class LostEdit:
    """A switched-off chunk, or a correction with its text, of a place that does not stand in the document any more."""

    kind: str
    original: str
    corrected: str = ""


@dataclass(frozen=True)
class DocumentChunks:
    """The chunks of a document in order, those switched off included, and the edits that were lost."""

    document: StoredDocument
    chunks: tuple[StoredChunk, ...]
    lost: tuple[LostEdit, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        about = {"source": self.document.source, "doc_id": self.document.doc_id, "enabled": self.document.enabled}
        return {**about, "chunks": [_shown(chunk) for chunk in self.chunks], "lost": [vars(edit) for edit in self.lost]}


def chunks(stores: Stores, base: Base, name: str) -> DocumentChunks:
    """The chunks of the document of that name or alias: ids, places, page, rows, heading, text, on or off, edited or not."""
    document = _named(stores, base, name)
    edits = stores.library.edits(document.doc_id)
    return DocumentChunks(document, tuple(stores.open_any(base).chunks_of(document.doc_id)), tuple(_lost(edits)))


def switch(stores: Stores, base: Base, name: str, *, on: bool, chunk_ids: Collection[str] = ()) -> Edited:
    """Switch a document off or on, or only these chunks of it.

    A document that is on again has those chunks off that were switched off singly.
    """
    with Changes(stores).of(base) as now:
        document = _named(stores, now, name)
        edits, text, places = _known(stores, now, document)
        unknown = set(chunk_ids) - {place.id for place in places}
        if unknown:
            raise UnknownChunk(f"{document.source} has no chunk {sorted(unknown)[0]}. `python -m ingest chunks` lists them.")
        if chunk_ids:
            chosen = {"on": chunk_ids} if on else {"off": chunk_ids}
            after = switched(edits, text, places, **chosen)
        else:
            after = [edit for edit in edits if edit.kind != DOCUMENT] + ([] if on else [Edit(DOCUMENT)])
        return _made(stores, now, document, after)


def correct(stores: Stores, base: Base, chunk_id: str, text: str, settings: Settings) -> Edited:
    """Put this text in the place of a chunk's: it is embedded, found, shown and quoted instead, and marked as edited.

    `settings` are those of ingest that cut and embed segments; what the base was built with goes before them.
    """
    words = clean_text(text).replace("\0", " ").strip()
    if not words:
        raise InvalidText(
            "A corrected chunk needs some text. To have it not found at all, switch it off.", code="empty_correction"
        )
    if len(words) > LONGEST:
        message = f"A corrected chunk has at most {LONGEST} characters; this has {len(words)}. Add a document for more."
        raise InvalidText(message, code="long_correction", most=LONGEST, length=len(words))
    return _corrected(stores, base, chunk_id, words, settings)


def revert(stores: Stores, base: Base, chunk_id: str, settings: Settings) -> Edited:
    """Let a chunk have the document's text again."""
    return _corrected(stores, base, chunk_id, None, settings)


def apply(stores: Stores, base: Base, document: StoredDocument, settings: Settings) -> Edited:
    """Make the chunks of a document what its edits say, where a process was killed on the way. To be called within Changes.of."""
    return _made(stores, base, document, stores.library.edits(document.doc_id), settings)


def is_in_step(stores: Stores, base: Base, document: StoredDocument) -> bool:
    """Whether the chunks of a document are what its edits say."""
    edits, text, places = _known(stores, base, document)
    states = wanted(edits, text, places)
    held = stores.open_any(base).chunks_of(document.doc_id)
    return all((chunk.enabled, _override(chunk)) == states[chunk.id] for chunk in held)


def _corrected(stores: Stores, base: Base, chunk_id: str, text: str | None, settings: Settings) -> Edited:
    with Changes(stores).of(base) as now:
        chunk = stores.open(now).chunk_with_id(chunk_id)
        document = stores.library.with_id(chunk.doc_id) if chunk else None
        if chunk is None or document is None:
            raise UnknownChunk(
                f"There is no chunk {chunk_id} in {now.name!r}. `python -m ingest chunks` lists those of a document."
            )
        edits, whole, places = _known(stores, now, document)
        after = corrected(edits, whole, places, Place(chunk.id, chunk.start, chunk.end), text)
        return _made(stores, now, document, after, settings)


def _named(stores: Stores, base: Base, name: str) -> StoredDocument:
    document = stores.library.find(base, name)
    if document is None:
        raise UnknownDocument(f"{name}: {GONE}")
    return document


def _known(stores: Stores, base: Base, document: StoredDocument) -> tuple[list[Edit], str, list[Place]]:
    """The edits, the text and the chunks of a document."""
    spans = stores.open_any(base).chunk_spans(document.doc_id)
    places = sorted((Place(span.id, span.start, span.end) for span in spans), key=lambda place: (place.start, place.end))
    return stores.library.edits(document.doc_id), stores.library.text(document.doc_id), places


def _made(
    stores: Stores, base: Base, document: StoredDocument, edits: Sequence[Edit], settings: Settings | None = None
) -> Edited:
    """Write the edits down and make the chunks so, in one commit where only texts change, or all are switched the same way."""
    store, text = stores.open_any(base), stores.library.text(document.doc_id)
    held = store.chunks_of(document.doc_id)
    states = wanted(edits, text, [Place(chunk.id, chunk.start, chunk.end) for chunk in held])
    retold = [chunk.id for chunk in held if _override(chunk) != states[chunk.id].override]
    rows = [row for row in store.switches_of(document.doc_id) if row.id not in set(retold)]
    flipped = {on: [row.id for row in rows if row.enabled != on == _found(row, states)] for on in (True, False)}
    made: list[Chunk] = []
    if retold:
        stores.open(base)  # refused where another embedder built it
        chosen = (settings or stores.settings).override({f"ingest.{k}": v for k, v in base.passport.get("ingest", {}).items()})
        made = as_wanted(store.whole_chunks(retold), states, embeddings=stores.embeddings, settings=chosen)
    with Changes(stores).editing(base, document, edits):
        if made:
            store.upsert(made)
        for on, ids in flipped.items():
            if ids:
                store.switch(document.doc_id, None if len(ids) == len(rows) and not retold else ids, on=on)
    changed = {*retold, *flipped[True], *flipped[False]}
    is_off = any(edit.kind == DOCUMENT for edit in edits)
    return Edited(document.source, document.doc_id, not is_off, tuple(chunk.id for chunk in held if chunk.id in changed))


def _override(chunk: StoredChunk) -> str | None:
    return chunk.text if chunk.edited else None


def _found(row: Switch, states: Mapping[str, Wanted]) -> bool:
    """Whether a row is to be found: what was written for another text than a chunk has now is not."""
    if row.kind == CHUNK:
        return states[row.id].enabled
    state = states.get(row.parent_id or "", Wanted())
    return state.enabled and state.override is None


def _lost(edits: Sequence[Edit]) -> list[LostEdit]:
    """Each text that is lost once, with what its corrections made of it."""
    off = [LostEdit(OFF, edit.original) for edit in edits if edit.lost and edit.kind == OFF]
    patches: dict[tuple[int, str], list[Edit]] = {}
    for edit in edits:
        if edit.lost and edit.kind == PATCH:
            patches.setdefault((edit.anchor_start, edit.original), []).append(edit)
    for (start, original), own in patches.items():
        parts, at = [], 0
        for patch in sorted(own, key=lambda patch: patch.start):
            parts += [original[at : patch.start - start], patch.text]
            at = patch.end - start
        off.append(LostEdit(PATCH, original, "".join([*parts, original[at:]])))
    return off


def _shown(chunk: StoredChunk) -> dict[str, Any]:
    said = chunk._asdict()
    del said["embed_text"]
    return said | {"rows": list(chunk.rows) if chunk.rows else None}
