"""How much may be unpacked of one file, however deep its archives lie in each other."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.errors import TooLarge
from settings.ingest import ParseSettings

DEEPEST = 2
"""An archive or mail in an archive or mail in the file that was uploaded; what lies deeper is named, not opened."""
MAX_RATIO = 200
"""Expanded to packed size of one member, beyond the first megabyte; text packs about 10 to 1, a bomb 1000 to 1."""
_FREE = 2**20


@dataclass
class Budget:
    """What is left for one file that was uploaded: entries and bytes. `depth` is how many containers are open."""

    entries: int
    bytes: int
    depth: int = 0

    @classmethod
    def of(cls, parse: ParseSettings) -> Budget:
        """The whole budget."""
        return cls(parse.max_entries, parse.max_expanded_mb * 2**20)

    def take(self, name: str, size: int) -> None:
        """Count one more entry of `size` bytes. Raises TooLarge when it is over what is left."""
        if self.entries < 1 or size > self.bytes:
            raise too_much(name, size)
        self.entries -= 1
        self.bytes -= size


def is_bomb(size: int, packed: int) -> bool:
    """Whether `packed` bytes would grow to so many that no document is the reason."""
    return size > max(_FREE, MAX_RATIO * packed)


def too_much(name: str, size: int) -> TooLarge:
    """The error for what would expand too far."""
    return TooLarge(
        name,
        f"it would expand to {size // 2**20} MB, or has too many entries",
        remedy="Unpack it and upload its files, or raise ingest.parse.max_expanded_mb and max_entries.",
        code="expands_too_far",
        mb=size // 2**20,
    )
