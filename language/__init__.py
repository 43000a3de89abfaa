"""What indexing and asking both need to know of text: script and width, one form of both scripts, sentences, terms, words."""

from language.folding import folded, indexed_form
from language.script import detect, is_cjk, width
from language.sentences import Span, sentences
from language.stopwords import only_stop_words, without_particles, without_stop_words
from language.terms import content_terms, term_set, term_words, terms

__all__ = [
    "Span",
    "content_terms",
    "detect",
    "folded",
    "indexed_form",
    "is_cjk",
    "only_stop_words",
    "sentences",
    "term_set",
    "term_words",
    "terms",
    "width",
    "without_particles",
    "without_stop_words",
]
