"""Studies of the calls that servers deliver.

- `questions`: the questions of `lton probe`, `bfcl`: those of BFCL, and `conversations` (with
  `relay`): messages in conversations
- `first_tokens`: what the first tokens of an answer show, `other_questions`: the same for questions
  that others have written, and `declined`: for questions that guided generation declined
- `gateway_ways` (with `gateway` and `gateway_templates`): every way to call tools
- `sglang_server`: a server
"""
