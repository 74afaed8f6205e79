"""`lton wrap`: a coding agent behind a gateway of its own, and what that saved.

- `agents` knows how each agent is told where its API is.
- `command` starts the gateway, runs the agent, and ends as it does.
- `report` says what was sent.
- `hook` puts `claude_hook` into the settings of Claude Code, which cuts long outputs by itself.

No file of the user is changed, except by `hook`.
"""
