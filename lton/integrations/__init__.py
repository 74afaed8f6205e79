"""Outside libraries that run no model: a module and an extra for each, of the same name.

- `tool_parser` reads requests and answers for servers; `vllm` and `sglang` are the same in their
  classes. `chat_template.jinja` shows tools without Python.
- `transformers` keeps `generate()` to calls, and `xgrammar` a model before it.
- `mcp` gets the tools of a server, and `litellm` shortens what LiteLLM's proxy sends.
"""
