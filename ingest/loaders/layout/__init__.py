"""Pieces of text with their places on a page become text in reading order; the same for PDFs and for what OCR has read."""

from ingest.loaders.layout.compose import Block, compose, markdown_safe
from ingest.loaders.layout.runs import Rule, Run

__all__ = ["Block", "Rule", "Run", "compose", "markdown_safe"]
