"""What a base holds of its sources already, at one moment: by that a source knows what it need not read again."""

from __future__ import annotations

from collections.abc import Iterable

from ingest.pipeline import Known
from store.bases import Base
from store.database import clean_text
from store.library import Library
from store.origins import Origin, Origins


class Kept:
    """The origins of a base's documents as far as they still hold: a document that was replaced or deleted since has none."""

    def __init__(self, library: Library, base: Base) -> None:
        self._origins, self._files, self._base = Origins(library), library.files, base
        documents = library.documents(base, statuses=("ready", "empty"))
        self.known = Known(documents, library.files)
        """The documents at the same moment, with the reports that say they are unchanged."""
        versions = {name: document.version for document in documents for name in (document.source, *document.aliases)}
        origins = self._origins.of(base)
        self._valid = {name: origin for name, origin in origins.items() if versions.get(name) == origin.version}

    def origin(self, name: str) -> Origin | None:
        """Where the document of that name came from, if it is as it came and its bytes are kept."""
        origin = self._valid.get(clean_text(name))
        return origin if origin and self._files.has(origin.version) else None

    def names_from(self, place: str) -> list[str]:
        """The names of the documents that came from there and are as they came, in order."""
        return sorted(name for name, origin in self._valid.items() if origin.place == place)

    def remember(self, *origins: Origin) -> None:
        """Keep where bytes came from, which are indexed now or will be: as long as they are not, it does not count."""
        self._origins.remember(self._base, origins)

    def forget(self, names: Iterable[str]) -> None:
        """Strike off what is known under these names."""
        gone = list(names)
        self._origins.forget(self._base, gone)
        for name in gone:
            self._valid.pop(name, None)
