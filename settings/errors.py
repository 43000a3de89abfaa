"""What can be wrong with settings."""


class SettingsError(ValueError):
    """A setting has an unknown name or a value that is not allowed; the message names the key, the value and what is allowed."""
