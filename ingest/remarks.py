"""What a person should know of a file that was read: it did not fail, but not all of it is as they may think."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ingest.document import LoadedDocument
from ingest.garbled import is_garbled

_WHY_UNREAD = {
    "off": (
        "pages_ocr_off",
        "are pictures of text, and OCR is switched off. Switch ingest.ocr.enabled on and add the file again.",
    ),
    "missing": (
        "pages_ocr_missing",
        "are pictures of text, and OCR is not installed. Install the requirements and add it again.",
    ),
    "failed": ("pages_ocr_failed", "could not be read by OCR. Save the file anew and add it again."),
    "nonsense_off": (
        "pages_nonsense_off",
        "have fonts that do not tell their letters, and OCR is switched off. Switch ingest.ocr.enabled on and add it again.",
    ),
    "nonsense_missing": (
        "pages_nonsense_missing",
        "have fonts that do not tell their letters, and OCR is not installed. Install the requirements and add it again.",
    ),
    "nonsense_failed": (
        "pages_nonsense_failed",
        "have fonts that do not tell their letters, and OCR could not read them. Print it as a new PDF and add that.",
    ),
}


def warnings_of(document: LoadedDocument, garbled: float) -> list[dict[str, Any]]:
    """The warnings of a report, each with a `reason` in English, and a `code` with `params` for the page.

    `garbled` is the share of the text that is no language, 0 to 1.
    """
    found = []
    nonsense = any(why.startswith("nonsense") for _, why in document.unread_pages)  # which has a remedy of its own
    if is_garbled(document.text, garbled) and not nonsense:
        percent = max(1, round(100 * garbled))
        reason = (
            f"The text looks garbled ({percent} % of it). Check the original file, or its encoding, and upload a better copy."
        )
        found.append({"reason": reason, "code": "garbled", "params": {"percent": percent}})
    for why, pages in Counter(why for _, why in document.unread_pages).items():
        code, words = _WHY_UNREAD[why]
        found.append({"reason": f"{pages} page(s) {words}", "code": code, "params": {"pages": pages}})
    if document.damaged:
        reason = "The file is damaged, and parts of it may be missing. Upload a whole copy, if there is one."
        found.append({"reason": reason, "code": "damaged", "params": {}})
    if document.read_as:
        reason = f"The content is of another kind than the name says, and was read as {document.read_as}."
        found.append({"reason": reason, "code": "read_as", "params": {"kind": document.read_as}})
    if document.left_out:
        count, lines = sum(times for _, times in document.left_out), ", ".join(line for line, _ in document.left_out[:3])
        reason = f"{count} repeated line(s) were left out, such as: {lines}."
        found.append({"reason": reason, "code": "lines_left_out", "params": {"count": count, "lines": lines}})
    if document.skipped:
        parts = ", ".join(name for name, _ in document.skipped[:3])
        reason = f"{len(document.skipped)} part(s) gave no text, such as {parts}."
        found.append({"reason": reason, "code": "parts_skipped", "params": {"count": len(document.skipped), "parts": parts}})
    return found
