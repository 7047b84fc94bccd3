"""The virtual table: a page in the browser over the twins."""
