"""What a question names as limits of its search, by rules in English and Chinese: documents, types, tags, days and pages.

A rule that fires wrongly hides the answer, one that does not fire costs nothing. So each asks for the words around a name that
make it a limit: "in the PDF files" and not "in PDF format", "files added since 2024" and not "sales since 2024".
"""

from retrievers.named.days import period
from retrievers.named.documents import Names
from retrievers.named.limits import named_limits
from retrievers.named.missing import missing_documents

__all__ = ["Names", "missing_documents", "named_limits", "period"]
