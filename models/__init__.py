"""Every model the app calls, behind a factory that picks it from the settings."""

from models.chat import get_chat_model
from models.embeddings import get_embeddings
from models.errors import ModelError, ModelUnavailable

__all__ = ["ModelError", "ModelUnavailable", "get_chat_model", "get_embeddings"]
