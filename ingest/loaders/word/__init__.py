"""The parts of Word documents (ECMA-376 part 1, 17): styles, numbering, paragraphs, tables, notes."""

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
