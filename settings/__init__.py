"""One frozen, typed Settings object from config.yaml, the environment and overrides; nothing else reads the environment."""

from settings.errors import SettingsError
from settings.load import Settings, load_secrets, load_settings
from settings.retrieval import Fusion
from settings.schema import Secrets

__all__ = ["Fusion", "Secrets", "Settings", "SettingsError", "load_secrets", "load_settings"]
