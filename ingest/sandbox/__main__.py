"""`python -m ingest.sandbox`: reads one file after the other for the app that started it, over its standard input and output."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from ingest.document import join
from ingest.enrich.cleaning import cleaned
from ingest.enrich.properties import described
from ingest.errors import LoadError
from ingest.loaders import get_loader
from ingest.loaders.registry import reads_prose, type_of
from ingest.pictures.found import FoundPictures
from ingest.pictures.gather import gather
from ingest.sandbox import failures, wire
from ingest.sandbox.limits import bounded, die_with, stay_offline
from ingest.view.drawing import draw
from ingest.view.picture import PagePicture

Load = Callable[[wire.Request], wire.Found]


def load_file(request: wire.Request) -> wire.Found:
    """What the loaders make of a file, cleaned, with what it says of itself; or a page or its pictures. Raises LoadError."""
    if request.pictures is not None:
        return gather(request.name, request.data, request.settings, request.password, request.pictures)
    if request.page is not None:
        return draw(request.name, request.data, request.settings, request.password, request.page)
    loader = get_loader(request.name, request.data, request.settings, request.password)
    chosen = request.settings.enrich
    read = replace(join(request.name, loader.lazy_load()), type=type_of(loader))
    document = cleaned(read, chosen.cleaning, prose=reads_prose(loader))
    return described(document, request.data) if chosen.metadata.enabled else document


def main(load: Load = load_file) -> None:
    """Answer requests until the app has gone."""
    lifeline = sys.argv[1:]
    if lifeline:
        die_with(int(lifeline[0]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the app decides what an interruption ends
    stay_offline()
    asked, replies = _streams()
    requests: queue.Queue[wire.Request] = queue.Queue()
    threading.Thread(target=_listen, args=(asked, requests), daemon=True).start()
    while True:
        request = requests.get()
        wire.write(replies, wire.BEGUN)
        with bounded(request.settings.parse):
            letter, body = _answer(request, load)
        wire.write(replies, letter, body)
        del request, body  # not kept while the next one is waited for


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output, of which libraries that print get to see neither."""
    asked, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return asked, replies


def _listen(asked: BinaryIO, requests: queue.Queue[wire.Request]) -> None:
    """Take requests in while another is being worked on, to see the end of the app at any time."""
    try:
        while True:
            requests.put(wire.read_request(asked))
    except (EOFError, OSError):
        os._exit(0)


def _answer(request: wire.Request, load: Load) -> tuple[bytes, bytes]:
    try:
        found = load(request)
        if isinstance(found, PagePicture):
            return wire.PICTURE, wire.pack_picture(found)
        if isinstance(found, FoundPictures):
            return wire.PICTURES, wire.pack_pictures(found)
        body = wire.pack_document(found)
        if len(body) > request.settings.parse.max_expanded_mb * 2**20:
            raise failures.too_much_text(request.name, request.settings.parse)
    except LoadError as error:
        return wire.REFUSAL, wire.pack_refusal(error)
    except MemoryError:
        return wire.REFUSAL, wire.pack_refusal(failures.out_of_memory(request.name, request.settings.parse))
    except Exception as error:  # noqa: BLE001 - parsers of foreign input raise anything
        return wire.REFUSAL, wire.pack_refusal(failures.unforeseen(request.name, error))
    return wire.DOCUMENT, body


if __name__ == "__main__":
    main()
