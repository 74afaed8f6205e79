"""Outside libraries that run no model: a module and an extra for each, of the same name."""
