"""Studies of small models: which calls, results and notes they get right in each form.

- `calls`: studies of what models write, `servers`: of what servers deliver, and `results`: of how
  models read tools' answers
- `models`: the models, and `tasks`: questions of BFCL. `judge` and `bfcl_judge` judge answers
- `figures`: accuracy and differences with intervals
- `batches`: many answers after one passage, `gateways`: a gateway for a block, and `packed`: files
  of answers
"""
