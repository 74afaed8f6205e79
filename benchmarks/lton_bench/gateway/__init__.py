"""Load and cost of the gateway.

- `load`: many clients that stream at once, and memory over many requests
- `clients`: the clients, which check each answer
- `scripted`: the upstream, and `bare_proxy`: the floor for any proxy
- `processes`: starts servers, and measures their memory and processor time
- `bill` (with `bill_sums` and `bill_ways`): the cost of coding sessions through the
  gateway, and `bill_lean`: with short definitions of unused tools
"""
