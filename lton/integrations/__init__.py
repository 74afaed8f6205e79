"""The rim: one module for each outside library, with an extra of the same name."""
