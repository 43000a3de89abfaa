"""Bytes become LangChain Documents: one module a family of formats, chosen by name and content in registry.py."""

from ingest.loaders.registry import get_loader

__all__ = ["get_loader"]
