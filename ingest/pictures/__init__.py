"""The pictures of a document, taken out of its file for a model that describes them.

A file's pictures are as hostile as the file: they are decoded, bounded and packed anew in the process that reads files.
"""
