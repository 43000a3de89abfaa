"""A question becomes ranked contexts; each layer is a LangChain retriever or document compressor, and writes into the ledger."""

from retrievers.build import Retriever
from retrievers.explain import Explainer
from retrievers.filter import EVERY_DOCUMENT, Filter, InvalidFilter
from retrievers.result import Context, Retrieval

__all__ = ["EVERY_DOCUMENT", "Context", "Explainer", "Filter", "InvalidFilter", "Retrieval", "Retriever"]
