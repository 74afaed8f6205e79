"""Connect LTON to other libraries, with one module for each library.

- `tool_parser` reads requests and answers for servers, and `vllm` and `sglang` adapt it to their
  classes. `chat_template.jinja` shows tools to models without Python.
- `transformers` constrains `generate()` to calls, and `xgrammar` registers a format.
- `mcp` lists the tools of a server, and `litellm` shortens the requests of LiteLLM's proxy.
"""
