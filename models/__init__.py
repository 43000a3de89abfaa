"""Every model the app calls, behind a factory that picks it from the settings."""

from models.chat import ChatModels, get_chat_model, get_chat_models
from models.embeddings import get_embeddings
from models.errors import ModelError, ModelUnavailable
from models.rerankers import Reranker, get_reranker

__all__ = [
    "ChatModels",
    "ModelError",
    "ModelUnavailable",
    "Reranker",
    "get_chat_model",
    "get_chat_models",
    "get_embeddings",
    "get_reranker",
]
