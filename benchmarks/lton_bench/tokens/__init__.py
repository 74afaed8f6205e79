"""The token benchmark: the tokens of calls, answers and definitions in each format.

- `command`: `lton bench tokens`; `measure` counts, `results` are the figures, `report` shows them
- `formats`: the formats of calls, with `notation` (LTON), `native` (model families), `rivals`
- `answers` and `shown`: the formats of results and of definitions
- `datasets`: a module for each data set
- `page`: an HTML page of the results
- `api_results`: results of real APIs; `signatures`: the cost of showing tools
- `separators` and `answer_tables`: spellings that were tried; `roundtrip`: reading calls back
"""
