"""A file becomes chunks in the index: load, chunk, embed, store."""
