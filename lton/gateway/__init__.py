"""A server of OpenAI's API before any other: JSON to its clients, LTON to the model."""
