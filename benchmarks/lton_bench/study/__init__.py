"""Studies of small models: which calls, results and notes they get right in each form.

- `__main__`: the study of calls. `tasks` has the questions, `conditions` the forms, `answers`
  samples answers, `judge` judges them, and `runner` runs the study
- `summary`, `kinds` and `figures`: the figures, and `report`: the tables
- `classes` (with `classes_cases`): the study of instances of classes
- `needs`, `first_tokens`, `retrying`: other studies of calls
- `tables` (with `tables_cases`), `readings`: studies of results, with `batches`
- `gateway` (with `gateway_report` and `gateway_templates`), `gateway_ways`, `servers`,
  `servers_bfcl` (with `bfcl_judge`), `servers_conversations` (with `relay`): studies of servers,
  with `vllm_server`, `sglang_server` and `mistral_server`
- `models`, `outlines_engine`: models and an engine, `gateways`: a gateway for a block, and
  `packed`: files of answers
"""
