"""Bytes become LangChain Documents: one module a family of formats, chosen by name and content in registry.py."""

from ingest.loaders.registry import LOADERS, get_loader

__all__ = ["LOADERS", "get_loader"]
