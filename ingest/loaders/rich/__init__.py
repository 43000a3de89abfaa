"""Rich Text Format (specification 1.9.1): tokens, the state of groups, paragraphs and tables."""
