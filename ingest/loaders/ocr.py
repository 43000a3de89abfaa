"""Text in pictures by rapidocr, Chinese and English, with the models of its wheel: nothing is ever downloaded.

A turned page is set upright first: the shape of its lines tells whether it lies on a side, and the classifier of each line, which
knows a line from one that stands on its head, tells on which.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from ingest.loaders.clean import clean, fold_lookalikes
from ingest.loaders.layout import Block, Run, compose
from ingest.loaders.layout.style import Style
from ingest.loaders.picture import may_hold_text, on_white, padded, slices
from settings.ingest import OcrSettings

_LETTERS = 0.8  # of a line's box is the height of its letters
_MARGIN = 0.05  # of confidence that turning may cost
_ONE_ENGINE = threading.Lock()
_MOST_THREADS = 4


class OcrUnavailable(Exception):
    """OCR cannot be done; `why` is "missing" (rapidocr or its runtime is not installed) or "failed"."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"OCR is {why}")


@dataclass(frozen=True)
class Line:
    """A line of text with its box in pixels, and how sure the reading is, 0 to 1. `upside_down` is what the classifier says."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    confidence: float
    upside_down: bool = False

    @property
    def stands(self) -> bool:
        """Whether it runs up or down the picture."""
        return self.bottom - self.top > 1.5 * (self.x1 - self.x0)


@dataclass(frozen=True)
class Reading:
    """The blocks of a picture; `confidence` is the mean by characters, None without text; `turned` in degrees clockwise."""

    blocks: tuple[Block, ...] = ()
    confidence: float | None = None
    turned: int = 0

    @property
    def text(self) -> str:
        """All of it, a blank line between blocks."""
        return "\n\n".join(block.text for block in self.blocks)


@dataclass(frozen=True)
class Found:
    """The lines of a picture as they lie in it once it was scaled to `size` and turned clockwise by `turned` degrees."""

    lines: tuple[Line, ...] = ()
    size: tuple[int, int] = (1, 1)
    turned: int = 0


def read_picture(picture: Image.Image, settings: OcrSettings) -> Reading:
    """The text of a picture in reading order. Raises OcrUnavailable."""
    found = find_lines(picture, settings)
    if not found.lines:
        return Reading()
    return Reading(tuple(_blocks(found.lines)), round(_confidence(found.lines), 3), found.turned)


def find_lines(picture: Image.Image, settings: OcrSettings) -> Found:
    """The lines that are read with enough confidence. Raises OcrUnavailable."""
    clean_picture = on_white(picture)
    if not may_hold_text(clean_picture):
        return Found()
    parts = list(slices(clean_picture))
    lines, turned = _upright_lines(parts[0][1]) if len(parts) == 1 else (_lines_of_parts(parts), 0)
    kept = [line for line in lines if line.confidence >= settings.min_confidence and line.text]
    wide, high = parts[0][1].width, parts[-1][0] + parts[-1][1].height
    return Found(tuple(kept), (high, wide) if turned in (90, 270) else (wide, high), turned)


def _upright_lines(picture: Image.Image) -> tuple[list[Line], int]:
    """The lines of a picture, turned where that is needed, and how far it was turned."""
    lines = _lines(picture)
    turn = _turn_needed(lines)
    if turn:
        again = _lines(picture.rotate(-turn, expand=True))
        if _confidence(again) >= _confidence(lines) - _MARGIN:
            return again, turn
    return lines, 0


def _lines_of_parts(parts: Sequence[tuple[int, Image.Image]]) -> list[Line]:
    return [replace(line, top=line.top + down, bottom=line.bottom + down) for down, part in parts for line in _lines(part)]


def _turn_needed(lines: Sequence[Line]) -> int:
    """How far to turn the picture clockwise so that most of its characters stand upright: 0, 90, 180 or 270."""
    long = [line for line in lines if len(line.text) > 2] or list(lines)
    total = sum(len(line.text) for line in long)
    standing = sum(len(line.text) for line in long if line.stands)
    inverted = sum(len(line.text) for line in long if line.upside_down)
    on_head = inverted > total / 2
    if standing > total / 2:
        return 90 if on_head else 270  # the engine turns such lines to the left before it classifies them
    return 180 if on_head else 0


def _confidence(lines: Sequence[Line]) -> float:
    characters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / characters if characters else 0.0


def _blocks(lines: Sequence[Line]) -> list[Block]:
    usual = median(line.bottom - line.top for line in lines)
    runs = [Run(line.text, line.x0, line.top, line.x1, line.bottom, round(_size(line, usual), 1)) for line in lines]
    return compose(runs, style=Style())


def _size(line: Line, usual: float) -> float:
    """The size of its letters. The boxes of one font differ by what letters they hold."""
    height = line.bottom - line.top
    return _LETTERS * (usual if 0.7 * usual < height < 1.4 * usual else height)


def _lines(picture: Image.Image) -> list[Line]:
    """What the engine reads, as it lies in the picture."""
    pixels = np.ascontiguousarray(np.asarray(padded(picture))[:, :, ::-1])
    engine = _engine()
    with _ONE_ENGINE:
        try:
            found, classes, read, _ = engine.run_ocr_steps(pixels, {})
        except Exception as error:  # a model's runtime raises anything
            raise OcrUnavailable("failed") from error
    if found.boxes is None or read.txts is None:
        return []
    labels = [label for label, _ in classes.cls_res] if classes.cls_res else ["0"] * len(read.txts)
    lines = []
    for box, text, score, label in zip(found.boxes, read.txts, read.scores, labels, strict=True):
        (x0, top), (x1, bottom) = box.min(axis=0), box.max(axis=0)
        tidy = fold_lookalikes(clean(text)).strip()
        lines.append(Line(tidy, float(x0), float(top), float(x1), float(bottom), float(score), label == "180"))
    return lines


@cache
def _load() -> Any:
    """The engine, made when first needed; its models lie in its package."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise OcrUnavailable("missing") from error
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    chosen = {
        "Global.log_level": "critical",
        "Global.use_vertical_padding": False,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    try:
        return RapidOCR(params=chosen)
    except Exception as error:  # a damaged installation raises anything
        raise OcrUnavailable("failed") from error


def _engine() -> Any:
    with _ONE_ENGINE:
        return _load()
