"""The types of what each tool returns: the JSON of the command of that name, and its JSON Schema."""

from typing import Any, TypedDict

import msgspec

from ..check.output_types import AgentsOutput, AgentsWhyOutput, CheckOutput
from ..lock.revisions.revision_diff import RevisionDiff
from ..model.prompt.saved import SavedPrompt
from ..report.context import Context
from ..report.diff import Patch
from ..report.why import PathStatus


class RecipeWhyOutput(TypedDict):
    """`overture explain RECIPE --why PATH --json`, which is a list."""

    result: list[PathStatus]


OUTPUT_TYPES: dict[str, tuple[Any, ...]] = {
    "agents": (AgentsOutput,),
    "why": (AgentsWhyOutput, RecipeWhyOutput),
    "check": (CheckOutput,),
    "context": (Context,),
    "diff": (Patch, RevisionDiff),
    "build": (SavedPrompt,),
}
"""Per tool, the types of which its result is one."""


def make_object_schema(*types: Any) -> dict[str, Any]:
    """The JSON Schema of one of these types, with `type: object` at its top, as the protocol asks for."""
    roots, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    if len(types) > 1:
        return {"type": "object", "anyOf": list(roots), "$defs": definitions}
    root = definitions.pop(roots[0]["$ref"].rpartition("/")[2])
    return {**root, "$defs": definitions} if definitions else root
