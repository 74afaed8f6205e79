"""The token benchmark: the tokens of calls, answers and definitions in each format.

- `command`: the program, which `__main__` runs. `measure` counts, `stats` and `results` compute the
  figures, and `report` shows them. `pieces` are the units, and `jsonl` reads your own
  calls
- `costs` and `break_even`: the tokens of conversations, with definitions
- `formats`: the formats of calls, with `notation` (LTON), `rivals` and `positions`
- `answers` and `shown`: the formats of results and of definitions
- `datasets`: a module for each data set
- `page`: an HTML page of the results
- `api_results`: results of real APIs; `api_shares`: the share of them that gets shorter;
  `peer_results`: five results in the formats of peers; `signatures`: the cost of showing tools;
  `made_rows`: made-up rows
"""
