"""The commands of `python -m ingest` that need more than a few lines, one a file."""
