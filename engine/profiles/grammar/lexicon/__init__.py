"""The words of the grammar, one plain text file a theme; `engine.profiles.grammar.words` reads them."""
