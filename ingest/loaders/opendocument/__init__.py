"""The text of OpenDocument texts and presentations."""
