r"""Templates with which llama-server shows tools to the models of the study.

The models' own templates have no place for tools. Then llama-server leaves tools out without an
error, and constrains nothing. So the study gives it a template with the turns that the model knows,
the definitions in JSON, and `>>>` before the name of a function, with which the assistant's turn
begins. llama-server derives the format of calls from the template, and constrains it. With the tags
of Hermes and Qwen, its grammar allows prose before a required call, and models of this size then
write only prose up to the limit (no call in 3 development cases). With `>>>` there is no prose.
"""

_DEFINITIONS = (
    "{%- set told = messages[0].content if messages[0].role == 'system' else '' -%}"
    "{%- if tools -%}{%- set told -%}{{ told + '\n\n' if told else '' }}"
    "You can call these functions:{% for tool in tools %}{{ '\n' }}{{ tool.function | tojson }}"
    "{% endfor %}"
)
_END = "{%- endset -%}{%- endif -%}"
_SYSTEM = (
    f"{_DEFINITIONS}{{{{ '\n' }}}}Answer with >>> and the name of a function, and its arguments as"
    f" JSON on the next line.{_END}"
)
_CALLS = (
    "{%- for call in message.tool_calls or [] -%}"
    "{{ '>>>' + call.function.name + '\n' }}{{ call.function.arguments | tojson }}"
    "{%- endfor -%}"
)


def _chatml(system: str, calls: str, opening: str) -> str:
    """Return a template with a system prompt, the format of calls, and the start of a call."""
    return (
        f"{system}"
        "{%- if told -%}{{ '<|im_start|>system\n' + told + '<|im_end|>\n' }}{%- endif -%}"
        "{%- for message in messages if message.role != 'system' -%}"
        "{{- '<|im_start|>' + ('user' if message.role == 'tool' else message.role) + '\n' -}}"
        "{{- message.content or '' -}}"
        f"{calls}"
        "{{ '<|im_end|>\n' }}"
        "{%- endfor -%}"
        "{%- if add_generation_prompt -%}"
        f"{{{{ '<|im_start|>assistant\n'{opening} }}}}{{%- endif -%}}"
    )


CHATML = _chatml(_SYSTEM, _CALLS, " + ('>>>' if tools else '')")
_EXAMPLES = """

To call one, answer with its name and arguments in <tools> tags, and with nothing else. If none of \
them does what is asked, answer in words. Examples, with functions of others:
Add 3 and 4.
<tools>
{"name": "add", "arguments": {"a": 3, "b": 4}}
</tools>
Is the shop in Oslo open on Sunday?
<tools>
{"name": "shop.hours", "arguments": {"city": "Oslo", "day": "Sunday"}}
</tools>
Write a poem.
None of the functions writes poems."""
TAGGED = _chatml(
    f"{_DEFINITIONS}{{{{ '{_EXAMPLES}' }}}}{_END}",
    "{%- for call in message.tool_calls or [] -%}"
    '{{ \'<tools>\n{"name": "\' + call.function.name + \'", "arguments": \' }}'
    "{{ call.function.arguments | tojson }}{{ '}\n</tools>' }}"
    "{%- endfor -%}",
    "",
)
"""Examples in tags for Qwen2.5-Coder, which then uses the tags (vllm#32931: always, at 7B)."""
