"""What is searched for beside the question itself: one file a transformation, each with `queries(question)`."""

from retrievers.queries.build import build_expansion
from retrievers.queries.expansion import QueryExpansion
from retrievers.queries.glossary import Glossary
from retrievers.queries.query import Query
from retrievers.queries.writer import Expansions

__all__ = ["Expansions", "Glossary", "Query", "QueryExpansion", "build_expansion"]
