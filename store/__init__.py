"""What is kept: chunks in LanceDB, the library of documents and the conversations in SQLite."""
