"""`lton wrap`: run a coding agent behind its own gateway, and report what that saved.

- `agents` configures each agent, by variables and arguments only.
- `command` starts the gateway and the agent.
- `report` shows the gateway's metrics.
- `hook` adds `claude_hook`, which cuts long outputs, to the settings of Claude Code.
"""
