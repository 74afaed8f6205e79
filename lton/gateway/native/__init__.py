"""`--calls native`: a model's own calls pass through unchanged, in the API that they came in.

- `native_requests` reads what matters of a body, and changes only what options ask for: `strict`
  schemas and shorter results (`result_forms`); `long_results` cuts long ones, and keeps the whole
  in a file.
- `rescues` reads calls that a model wrote as text. `call_prefix` and `call_after_prose` (with
  `prose_words`) decide where such a call may begin, and `held_text` how much of a stream is held
  for it.
- `deduplicate` drops repeated calls.
- `passthrough` is the exchange of one request, with the `calls_in_text` of its answer.

The readers of `lton.apis` parse events. Nothing here does input or output.
"""
