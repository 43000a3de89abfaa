"""Enrichment: what a chat model writes for the chunks of a base, asked once, bounded, and found beside them.

Each kind is a file of its own (`questions.py`, `summary.py`); `run.py` asks for what is missing and puts it into the index, and
what was written before comes back by itself when a document is indexed again (`rows.py`).
"""
