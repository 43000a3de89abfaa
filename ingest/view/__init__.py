"""Pages of PDFs and pictures as they look, with the places of a passage marked on them."""
