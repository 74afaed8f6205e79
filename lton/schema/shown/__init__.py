"""What people and models are shown of tools: signatures, prompts, short names."""
