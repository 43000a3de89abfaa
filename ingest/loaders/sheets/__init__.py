"""Tables of rows and columns, from whichever format, as text in which each row says by itself what its values are."""
