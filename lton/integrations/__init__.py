"""Integrate other libraries: a module and an extra for each, with the library's name.

- `tool_parser` reads requests and answers for servers; `vllm` and `sglang` wrap it in their
  classes. `chat_template.jinja` shows tools without Python.
- `transformers` constrains `generate()` to calls, and `xgrammar` registers a format.
- `mcp` lists the tools of a server, and `litellm` shortens the requests of LiteLLM's proxy.
"""
