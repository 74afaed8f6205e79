"""Run a coding agent behind its own gateway and report the savings (`lton wrap`).

- `agents` configures each agent, only by variables and arguments.
- `command` starts the gateway and the agent.
- `report` summarizes the gateway's metrics.
- `hook` adds `claude_hook`, which cuts long outputs, to the settings of Claude Code.
"""
