"""What LTON costs and what models get right with it, measured beside JSON and others."""
