"""Studies of small models: which calls, results and notes they get right in each form.

- `tasks`: the questions, and `conditions`: the forms. `answers` samples answers, `judge` judges
them
- `runner`: runs the study, and `models`: its models
- `summary`, `kinds` and `figures`: the figures, and `report`: the tables
- `lengths`, `fences`, `fence_ends`, `thoughts`, `confidence`, `retrying`, `staying`: other studies
  of calls
- `tables`, `spellings`, `readings`: studies of results, and `follow`: a study of pointers and files
- `gateway`, `gateway_ways`, `servers`: studies of servers
- `packed`: files of answers
"""
