"""What indexing and asking both need to know of text: script and width, sentences, terms, stop words, which language."""

from language.script import detect, is_cjk, width
from language.sentences import Span, sentences
from language.stopwords import only_stop_words, without_particles, without_stop_words
from language.terms import content_terms, term_set, terms

__all__ = [
    "Span",
    "content_terms",
    "detect",
    "is_cjk",
    "only_stop_words",
    "sentences",
    "term_set",
    "terms",
    "width",
    "without_particles",
    "without_stop_words",
]
