"""Every model the app calls, behind a factory that picks it from the settings."""

from models.chat import get_chat_model
from models.embeddings import get_embeddings
from models.errors import ModelError, ModelUnavailable
from models.rerankers import Reranker, get_reranker

__all__ = ["ModelError", "ModelUnavailable", "Reranker", "get_chat_model", "get_embeddings", "get_reranker"]
