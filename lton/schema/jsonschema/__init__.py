"""How foreign definitions, JSON Schema in all its spellings, become layouts."""
