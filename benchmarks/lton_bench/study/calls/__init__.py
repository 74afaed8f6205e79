"""Studies of the calls that models write.

- `__main__`: the study of all forms. `conditions` has the forms, `answers` samples answers, and
  `runner` runs the study. `summary` and `kinds` have the figures, and `report` the tables
- `classes` (with `classes_cases`): instances of classes
- `needs`: whether models know when a message needs a tool
"""
