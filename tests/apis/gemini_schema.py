"""The fields of Gemini's API, by message, as Google publishes them (`generativelanguage.v1beta`).

A type in brackets is a list, and `*` any JSON value. Google refuses a request with a field that its
message lacks, so this table does, too.
"""

from typing import Any

FIELDS: dict[str, dict[str, str]] = {
    "Request": {
        "contents": "[Content]",
        "systemInstruction": "Content",
        "tools": "[Tool]",
        "toolConfig": "ToolConfig",
        "safetySettings": "[*]",
        "generationConfig": "GenerationConfig",
        "cachedContent": "str",
    },
    "Content": {"parts": "[Part]", "role": "str"},
    "Part": {
        "text": "str",
        "thought": "bool",
        "thoughtSignature": "str",
        "inlineData": "Blob",
        "fileData": "FileData",
        "functionCall": "FunctionCall",
        "functionResponse": "FunctionResponse",
        "executableCode": "*",
        "codeExecutionResult": "*",
    },
    "Blob": {"mimeType": "str", "data": "str"},
    "FileData": {"mimeType": "str", "fileUri": "str"},
    "FunctionCall": {"id": "str", "name": "str", "args": "dict"},
    "FunctionResponse": {
        "id": "str",
        "name": "str",
        "response": "dict",
        "parts": "[FunctionResponsePart]",
    },
    "FunctionResponsePart": {"inlineData": "Blob"},
    "Tool": {
        "functionDeclarations": "[FunctionDeclaration]",
        "googleSearch": "*",
        "codeExecution": "*",
    },
    "FunctionDeclaration": {
        "name": "str",
        "description": "str",
        "parameters": "dict",
        "parametersJsonSchema": "*",
        "response": "dict",
    },
    "ToolConfig": {"functionCallingConfig": "FunctionCallingConfig"},
    "FunctionCallingConfig": {"mode": "str", "allowedFunctionNames": "[str]"},
    "GenerationConfig": {
        "candidateCount": "int",
        "stopSequences": "[str]",
        "maxOutputTokens": "int",
        "temperature": "number",
        "topP": "number",
        "topK": "int",
        "seed": "int",
        "presencePenalty": "number",
        "frequencyPenalty": "number",
        "responseMimeType": "str",
        "responseSchema": "dict",
        "responseJsonSchema": "*",
        "thinkingConfig": "*",
    },
}
_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "dict": (dict,),
    "number": (int, float),
}


def check(value: Any, kind: str = "Request", path: str = "") -> None:
    """Raise `AssertionError` for a value that is not of the given kind."""
    if kind == "*":
        return
    if kind.startswith("["):
        assert isinstance(value, list), path
        for index, member in enumerate(value):
            check(member, kind[1:-1], f"{path}/{index}")
    elif kind in FIELDS:
        assert isinstance(value, dict), path
        for name, member in value.items():
            assert name in FIELDS[kind], f"Cannot find field {path}/{name}"
            check(member, FIELDS[kind][name], f"{path}/{name}")
    else:
        assert isinstance(value, _TYPES[kind]), path


def check_request(body: Any) -> None:
    """Raise `AssertionError` for a request that Google would refuse."""
    check(body)
    contents = body["contents"]
    assert contents, "contents are required"
    for before, after in zip([None, *contents], contents, strict=False):
        calls = _count("functionCall", before)
        results = _count("functionResponse", after)
        assert not results or results == calls, "each call needs a response in the next content"
    mode = body.get("toolConfig", {}).get("functionCallingConfig", {})
    assert "allowedFunctionNames" not in mode or mode["mode"] == "ANY"
    for tool in body.get("tools", ()):
        for function in tool.get("functionDeclarations", ()):
            assert len(function["name"]) <= 63
            assert "description" in function


def _count(name: str, content: Any) -> int:
    return sum(name in part for part in content["parts"]) if content else 0
