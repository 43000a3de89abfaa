"""A question becomes ranked contexts; each layer is a LangChain retriever or document compressor, and writes into the ledger."""

from retrievers.build import Retriever
from retrievers.result import Context, Retrieval

__all__ = ["Context", "Retrieval", "Retriever"]
