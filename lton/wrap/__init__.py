"""Run a coding agent behind its own gateway and report the savings (`lton wrap`).

- `agents` configures each agent, only by variables and arguments.
- `command` starts the gateway and the agent.
- `report` summarizes the gateway's metrics.
- `lean` reads earlier sessions, to shorten tools that were never called.
- `hook` adds `claude_hook` to the settings of Claude Code, and `long_results` cuts its outputs.
"""
