"""Read and write requests and answers of Google's Gemini API (`generateContent`).

- `description` describes the API to the gateway.
- `requests` reads and writes requests, with the definitions of tools.
- `reader` reads answers, and `writer` writes answers.
- `contents` converts messages.
"""
