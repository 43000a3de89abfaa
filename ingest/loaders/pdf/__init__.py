"""PDF: text in reading order, tables, headings, and OCR for pages that are pictures."""

from ingest.loaders.pdf.loader import PdfLoader

__all__ = ["PdfLoader"]
