"""`--context`: conversations that fit the window, and tools that read what is left out."""
