"""What models are told, as text files, one a purpose and language; a person may put a text of their own in a file's place."""

from models.prompts.checking import InvalidPrompt, checked, placeholders
from models.prompts.files import LANGUAGES, default, key_of, names
from models.prompts.in_force import Prompt, in_force, prompt, stepwise, used, using

__all__ = [
    "LANGUAGES",
    "InvalidPrompt",
    "Prompt",
    "checked",
    "default",
    "in_force",
    "key_of",
    "names",
    "placeholders",
    "prompt",
    "stepwise",
    "used",
    "using",
]
