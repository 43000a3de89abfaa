"""Where documents come from: folders of this machine, web pages, and the lists of pages that sites publish (sitemaps).

Each source yields `Item`s, one document after the other: its name in the base and its bytes, or that it is unchanged, or the
error why there are none, which has a code with words in both languages. Only one document is in memory at a time. What needs not
be read again a source knows from `Kept`.

Into a base at once, as the command line does it, with the reports of the pipeline:

    kept = Kept(library, base)
    for name, event in Intake(pipeline, base, kept, settings).take(Folder(path, Selection(include=("*.md",))).items(kept, …)):
        ...

Through the queue, as the page does it (`gathering.py`), in a thread of its own, since looking at a source may take minutes:

    for item in folder.items(kept, max_bytes=…):
        if item.data is not None:
            jobs.submit(base.name, [Upload(item.name, item.data)], settings)
            if item.origin:
                kept.remember(item.origin)
        elif item.error is not None:
            ...  # told(item.name, item.error, skipped=item.skipped).as_json() is what `why` shows in the page's language

What may be read from the page is asked for as `asked.py` has it; of folders, only those that the settings allow (`allowed.py`).
"""

from __future__ import annotations

from ingest.sources.folder import Folder
from ingest.sources.intake import CHANGING, Intake, told
from ingest.sources.item import Item, LeftOut
from ingest.sources.kept import Kept
from ingest.sources.listing import Listing
from ingest.sources.selection import Selection
from ingest.sources.watch import Watch
from ingest.sources.web import Web

__all__ = ["CHANGING", "Folder", "Intake", "Item", "Kept", "LeftOut", "Listing", "Selection", "Watch", "Web", "told"]
