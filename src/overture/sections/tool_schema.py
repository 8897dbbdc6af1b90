"""What a tool takes, as a JSON Schema: the same in a prompt as in a request."""

from functools import lru_cache
from typing import Any

from ..model.safe_text import SafeTool
from ..model.tool.tool import Tool


def parameters_of(tool: Tool | SafeTool) -> dict[str, Any] | None:
    """The JSON Schema of its arguments: its own, or else what its signature says; None where neither is there."""
    if tool.parameters:
        return tool.parameters
    return schema_of_signature(tool.signature) if tool.signature else tool.parameters


@lru_cache(maxsize=1000)
def schema_of_signature(signature: str) -> dict[str, Any] | None:
    """The JSON Schema of a signature's parameters; None where it can't be read."""
    from ..errors import SignatureError
    from .signature.parse import parse_function
    from .signature.schema import to_schema
    from .signature.types import MapOf

    try:
        return to_schema(MapOf(parse_function(signature).params))
    except SignatureError:
        return None
