"""What models get right in each form.

- `tasks` says what is asked, and `conditions` how. `answers` makes a sample of each answer, and
  `judge` judges it. `runner` runs them.
- `summary`, `kinds` (by kind of argument) and `figures` say what they amount to; `report` shows it.
- `lengths` is a study of its own. So is `gateway`, a client that asks servers; `gateway_report`
  says what came of it.
"""
