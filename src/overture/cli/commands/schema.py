"""`overture schema`: the versioned JSON Schema of every `--json` output, made from the types that are printed."""

from collections.abc import Mapping
from typing import Any, NamedTuple, NotRequired, TypedDict

import click
import msgspec

from ...agents.diff_agents import AgentsDiff
from ...agents.fix.advise import Advice
from ...agents.fix.plan import Refused
from ...agents.fix.simulate import Change
from ...agents.outputs import AgentsOutput, FilesOutput
from ...audit.summary import AuditSummary
from ...batch.batch_files_and_manifest import Manifest
from ...changes.lockfile import LockChange
from ...changes.tables import TableDiff
from ...check.formats import CheckOutput, RulePage, RuleRow
from ...errors import ConfigError, find_similar
from ...model.prompt.saved_prompt import SavedPrompt
from ...model.state.state import State
from ...project.find_recipe import RecipeRow
from ...report.context import Context
from ...report.diff import Patch
from ...report.explain import Explanation
from ...report.stats_and_cut_notes import Stats
from ...report.why import PathStatus
from ...tap.commands.json_outputs import (
    TapImportOutput,
    TapReportOutput,
    TapShowOutput,
    make_list_type,
)
from ...tap.judge.diff_calls import Differences
from ...terminal.output import print_table, write_json
from ..show_summary import FolderSummary
from .recipes import RecipeOutput
from .trust import TrustFile, TrustReport

AgentsFixOutput = TypedDict(
    "AgentsFixOutput",
    {
        "changes": list[Change], "by_hand": list[Advice], "refused": list[Refused], "twice": list[dict[str, Any]],
        "folders": dict[str, int],
    },
)  # fmt: skip
LockOutput = TypedDict(
    "LockOutput", {"lock": str, "same": bool, "changes": list[LockChange], "written": NotRequired[bool]}
)
SettingOutput = TypedDict("SettingOutput", {"value": Any, "origin": str})
TrustListOutput = TypedDict("TrustListOutput", {"file": str, "files": list[TrustFile]})
TrustRemoveOutput = TypedDict("TrustRemoveOutput", {"removed": list[str]})
EXIT_CODES: Mapping[int, str] = {
    0: "done",
    1: "done: it found something, or would change something; or a budget can't be met",
    2: "failed: bad usage, unreadable or invalid input; `error:` on standard error says why and what to do",
    130: "interrupted",
}


@click.command("schema")
@click.argument("kind", default="state", metavar="KIND")
@click.option("--list", "listing", is_flag=True, help="List the kinds, with version and command.")
@click.option("--json", "as_json", is_flag=True, help="With --list: as JSON. A schema is always JSON.")
def command(kind: str, listing: bool, as_json: bool) -> None:
    """Print the JSON Schema of what a command prints with --json.

    Within a version, keys are only added. Removing or redefining a key makes a new version.

    \b
    overture schema --list               every kind, its version and its command
    overture schema state                what --state reads
    overture schema prompt               what build --format json prints
    overture schema agents               what agents --json prints
    """
    if listing and as_json:
        kinds = [{"kind": name, "version": each.version, "command": each.command} for name, each in OUTPUTS.items()]
        write_json({"kinds": kinds})
    elif listing:
        rows = [(name, str(output.version), output.command) for name, output in OUTPUTS.items()]
        print_table(rows, indent="", heads=("kind", "version", "command"))
    else:
        if kind not in OUTPUTS:
            raise ConfigError(
                f"Kind {kind!r} is not known.", message=f"No kind of output named {kind!r}", noun="kind",
                tip=find_similar(kind, OUTPUTS), hint="`overture schema --list` lists them.",
            )  # fmt: skip
        write_json(make_schema(kind))


class OutputSchema(NamedTuple):
    """The output of a command, and the version of its form."""

    command: str
    type: Any
    version: int = 1


OUTPUTS: Mapping[str, OutputSchema] = {
    "state": OutputSchema("overture state", State),
    "prompt": OutputSchema("overture build --format json", SavedPrompt),
    "summary": OutputSchema("overture --json", FolderSummary),
    "agents": OutputSchema("overture agents --json", AgentsOutput),
    "agents-files": OutputSchema("overture agents --files --json", FilesOutput),
    "agents-why": OutputSchema("overture agents --why FILE --json", FilesOutput),
    "agents-diff": OutputSchema("overture agents diff A B --json", AgentsDiff),
    "agents-fix": OutputSchema("overture agents --fix --json", AgentsFixOutput),
    "audit": OutputSchema("overture audit PLACE --json", AuditSummary),
    "check": OutputSchema("overture check --json", CheckOutput),
    "check-list": OutputSchema("overture check --list --json", list[RuleRow]),
    "check-explain": OutputSchema("overture check --explain CODE --json", RulePage),
    "explain": OutputSchema("overture explain RECIPE --json", Explanation),
    "why": OutputSchema("overture explain RECIPE --why FILE --json", list[PathStatus]),
    "context": OutputSchema("overture context RECIPE --json", Context),
    "stats": OutputSchema("overture context RECIPE --by file --json", Stats),
    "diff": OutputSchema("overture diff A B --json", Patch),
    "diff-revisions": OutputSchema("overture diff REV REV --json", TableDiff),
    "lock": OutputSchema("overture lock --json", LockOutput),
    "batch": OutputSchema("overture batch --json", Manifest),
    "config": OutputSchema("overture config --json", dict[str, SettingOutput]),
    "recipes": OutputSchema("overture recipes --json", list[RecipeRow]),
    "recipe": OutputSchema("overture recipes RECIPE --json", RecipeOutput),
    "trust": OutputSchema("overture trust --json", TrustReport),
    "trust-list": OutputSchema("overture trust --list --json", TrustListOutput),
    "trust-remove": OutputSchema("overture trust --remove --json", TrustRemoveOutput),
    "tap-list": OutputSchema("overture tap list --json", make_list_type()),
    "tap-show": OutputSchema("overture tap show --json", TapShowOutput),
    "tap-report": OutputSchema("overture tap report --json", TapReportOutput),
    "tap-diff": OutputSchema("overture tap diff A B --json", Differences),
    "tap-import": OutputSchema("overture tap import --json", list[TapImportOutput]),
}
"""Within a version, keys are only added. A key that goes, or means something else, is a new version."""


def make_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of one output."""
    output = OUTPUTS[kind]
    # A function, by which an agent reads the paths of imports, is null.
    schema = msgspec.json.schema(output.type, schema_hook=lambda _: {"type": "null"})
    if kind != "state":
        allow_more_keys(schema)
    return {"$id": f"urn:overture:{kind}:{output.version}", "title": output.command, **schema}


def allow_more_keys(schema: Any) -> None:
    """Let objects have keys that a later release adds."""
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        allow_more_keys(value)
    if isinstance(schema, dict) and schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
