"""Studies of the calls that servers deliver.

- `questions`: the questions of `lton probe`, and `bfcl`: those of BFCL
- `first_tokens`: what the first tokens of an answer show, and `decisions`: for which questions
  guided generation calls a tool
- `gateway_ways` (with `gateway` and `gateway_templates`): every way to call tools
- `sglang_server`: a server
"""
