"""Studies of how models read tools' answers.

- `tables` (with `tables_cases`): questions about invented answers in several forms
- `readings`: questions about made-up records
"""
