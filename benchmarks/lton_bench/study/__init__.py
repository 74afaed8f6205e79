"""Studies of small models: which calls they get right in each form.

- `calls`: studies of what models write, and `servers`: of what servers deliver
- `models`: the models, and `tasks`: questions of BFCL. `judge` and `bfcl_judge` judge answers
- `figures`: accuracy and differences with intervals
- `gateways`: a gateway for a block, `vllm_server`: a server, and `packed`: files of answers
"""
