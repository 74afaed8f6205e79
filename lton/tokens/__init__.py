"""Count the tokens that a model reads and writes."""
