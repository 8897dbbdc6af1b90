"""Every parser, as a target: bytes in, and nothing comes out but a value or an error of ours."""

import json
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

from overture import OvertureError, State, tools_from
from overture.discovery.configuration.config import load_config
from overture.discovery.configuration.keys import KEYS, parse_value
from overture.discovery.git import parse_commits, parse_status
from overture.discovery.globs import matches_glob
from overture.discovery.parse_json_and_toml import decode_json, parse_json_with_comments, parse_toml
from overture.discovery.people import read_agent, read_memories
from overture.discovery.place import Location
from overture.discovery.skills import read_skill
from overture.discovery.tree_files import parse_commit, parse_tree_list
from overture.known_agents.kit.menu_entries import read_rule_condition
from overture.known_models.model_table import overlay_table, packaged_table, parse_table
from overture.model.agent_rules import RuleConditions
from overture.model.state.state import FIELDS
from overture.project.find_recipe import read_recipe_file
from overture.providers.read.pieces_and_calls import read_calls
from overture.providers.read.read_content import read_content
from overture.providers.read.read_replies_and_results import read_reply
from overture.recipes import builtin
from overture.recipes.ptc import check
from overture.recipes.ptc.recipe import fill
from overture.recipes.ptc.reply import find_first_fault
from overture.recipes.toml.make_recipe import make_recipe
from overture.report.text_diff import diff_lines
from overture.sections.literal import write_literal
from overture.sections.signature import parse, parse_params, render
from overture.sections.signature_schemas import from_schema, infer
from overture.sections.template import split_placeholders
from overture.session.prompt_templates import (
    expand_template,
    fill_prompt_template,
    read_template,
    split_arguments,
)
from overture.terminal.option_values import assign_field
from overture.terminal.saved_files import parse_saved
from overture.testing import FakeWorld
from overture.text.broken_frontmatter import (
    list_spoilers,
    parse_by_line,
    parse_list_items,
    parse_with_quotes,
)
from overture.text.fences_and_headings import closing_fence, closing_tags, ends_in_fence, escape_fences, find_open_fence
from overture.text.frontmatter import FrontmatterProblem, strip_comments
from overture.text.frontmatter import parse_frontmatter as frontmatter
from overture.text.invisible import decode_hidden_words
from overture.text.markdown import find_regions, strip_block_comments
from overture.text.scan_for_marks import scan
from overture.text.truncate import find_ends

from .inputs import Choices, text_of

Target = Callable[[bytes], object]
STATE_KEYS = (
    *FIELDS, "name", "description", "location", "content", "path", "parameters", "type", "properties", "items",
    "required", "enum", "$ref", "title",
    "identity", "soul", "responsibilities", "prompt", "data", "signature", "steps", "status", "cwd", "docs",
    "sandbox", "enabled", "guidelines", "system",
)  # fmt: skip
SAVE_KEYS = (
    "version",
    "messages",
    "state",
    "tools",
    "program",
    "extensions",
    "turns",
    "recipe",
    "prompt",
    "blocks",
    "text",
    "role",
    "kind",
    "calls",
    "id",
)
REPLY_KEYS = (
    "choices",
    "message",
    "content",
    "text",
    "type",
    "tool_calls",
    "function",
    "arguments",
    "output",
    "candidates",
    "parts",
    "usage",
    "id",
    "name",
)
MODEL_KEYS = (
    "providers",
    "anthropic",
    "models",
    "window",
    "write",
    "read",
    "ttl",
    "5m",
    "input",
    "as_known_on",
    "note",
    "minimum",
    "tokens",
)
RECIPE_KEYS = (
    "extends",
    "sections",
    "name",
    "tag",
    "heading",
    "text",
    "rules",
    "when",
    "tool",
    "field",
    "all",
    "any",
    "not",
    "wants",
    "remove",
    "clock",
)


def made(read: Callable[[Any], object], keys: tuple[str, ...]) -> Target:
    """A target that is given a JSON value."""
    return lambda data: read(Choices(data).value(keys))


def said(read: Callable[[str], object]) -> Target:
    """A target that is given a text."""
    return lambda data: read(text_of(data))


def _fences(text: str) -> object:
    assert closing_fence(text + closing_fence(text)) == "", "what closes a code block leaves it open"
    text = text.replace("\r", "\n")  # as every text is, before its fences are looked at
    assert find_open_fence(escape_fences(text)) is None, "a text without fences has an open one"
    half = len(text) // 2
    return ends_in_fence(text), closing_tags(text[:half], text[half:]), find_ends(text)


def _regions(text: str) -> None:
    regions = list(find_regions(text))
    assert all(0 <= region.start < region.end <= len(text) for region in regions), "a region lies outside the text"
    assert all(one.end <= two.start for one, two in pairwise(regions)), "two regions overlap"
    kept = strip_block_comments(text)
    assert all(text.startswith(piece, at) for at, piece in kept), "a stretch is not where it is said to be"


def _commented(text: str) -> None:
    with suppress(ValueError):
        parse_json_with_comments(text)


RULES = tuple(
    RuleConditions(globs=("paths", "globs"), always=("alwaysApply=true",), model=("description",), broken=broken)
    for broken in ("start", "never", "mended", "lines", "items")
)


def _odd_frontmatter(text: str) -> None:
    text = f"---\n{text}\n---\nx".replace("\r", "\n")  # as it is read
    for read in (parse_with_quotes, parse_by_line, parse_list_items):
        found = read(text)
        if not isinstance(found, FrontmatterProblem):
            assert 0 < found.body <= len(text), "its body lies outside the text"
            assert found.body_line == text.count("\n", 0, found.body) + 1, "its body begins on another line"
    list_spoilers(text)


def _signature(text: str) -> None:
    with suppress(OvertureError):
        parse_params(text)
    found = parse(text)
    assert render(parse(render(found))) == render(found), "a signature is read back as another"


def _lines(text: str) -> None:
    before, _, after = text.partition("@@")
    told = list(diff_lines(before, after))
    assert bool(told) == (before.splitlines() != after.splitlines()), "changed lines are told, and only those"


def _config(text: str) -> None:
    load_config(Location(FakeWorld({"/p/overture.toml": text}), "/p", "/home/user"))


def _values(text: str) -> None:
    for key in list(KEYS.values())[:: max(1, len(text) % 7)]:
        parse_value(text, key)


def _git(data: bytes) -> object:
    with suppress(OSError):
        parse_commit(data)
    parse_tree_list(data)
    return parse_status(data), parse_commits(data)


def _json(text: str) -> None:
    read_memories(text, "m.json")
    read_agent(text, "a.json")
    decode_json(text.encode("utf-8", "replace"), "s.json")


def _state(value: Any) -> None:
    state = State.from_dict(value)
    assert State.from_dict(json.loads(json.dumps(state.to_dict()))) == state, "a state is read back as another"


def _tools(value: Any) -> None:
    tools_from(value)


def _models(value: Any) -> None:
    if isinstance(value, dict):
        overlay_table(packaged_table(), parse_table(value, "mine.toml"), "mine.toml")


def _recipe(value: Any) -> None:
    if isinstance(value, dict):
        make_recipe(value, "mine", builtin)


def _recipe_text(text: str) -> None:
    read_recipe_file(FakeWorld({"/p/mine.toml": text}), "/p/mine.toml")
    make_recipe(parse_toml(text.encode()), "mine", builtin)


def _mission(text: str) -> None:
    fill(text, {"a": "x{{b}}", "agent": {"name": [1]}, "_h": 1}, 20)


def _arguments(text: str) -> None:
    fill_prompt_template(text, split_arguments(text))
    expand_template(f"/t {text}", {"t": read_template(f"Do {text}", "/p/t.md")[0]})


def _schema(value: Any) -> None:
    render(from_schema(value))


def _data(value: Any) -> None:
    write_literal(value)
    render(infer(value))


def _set(text: str) -> None:
    data: dict[str, Any] = {"agent": {"name": "Ada"}, "tools": [{"name": "read"}]}
    assign_field(data, text)
    State.from_dict(data)


def _scan(text: str) -> None:
    scan(text)
    decode_hidden_words(text)


PARSERS: dict[str, Target] = {
    "frontmatter": said(lambda text: frontmatter(f"---\n{text}")),
    "odd frontmatter": said(_odd_frontmatter),
    "skill file": said(lambda text: read_skill(f"---\nname: a\n{text}", "/p/a/SKILL.md")),
    "template": said(lambda text: read_template(text, "/p/t.md")),
    "recipe in TOML": said(_recipe_text),
    "recipe's table": made(_recipe, RECIPE_KEYS),
    "overture.toml": said(_config),
    "values of settings": said(_values),
    "JSON files": said(_json),
    "state": made(_state, STATE_KEYS),
    "tools": made(_tools, STATE_KEYS),
    "saved files": made(lambda value: parse_saved(value, "save.json"), SAVE_KEYS),
    "--set": said(_set),
    "models": made(_models, MODEL_KEYS),
    "replies of SDKs": made(lambda value: read_reply(value, ()), REPLY_KEYS),
    "calls of SDKs": made(lambda value: read_calls(value, ()), REPLY_KEYS),
    "parts of SDKs": made(lambda value: read_content(value, "It"), REPLY_KEYS),
    "placeholders": said(lambda text: [list(split_placeholders(text, escapes=escapes)) for escapes in (False, True)]),
    "mission": said(_mission),
    "arguments": said(_arguments),
    "signature": said(_signature),
    "schema": made(_schema, STATE_KEYS),
    "data": made(_data, ("a", "_b", "c")),
    "reply with a program": said(lambda text: check(f"```clojure\n{text}\n```")),
    "PTC-Lisp": said(find_first_fault),
    "comments at the head": said(strip_comments),
    "fences": said(_fences),
    "code and comments": said(_regions),
    "path patterns": said(lambda text: matches_glob(text, "src/a/b.py")),
    "JSON with comments": said(_commented),
    "conditions of rules": said(lambda text: [read_rule_condition(rule, f"---\n{text}\n---\nx") for rule in RULES]),
    "marks": said(_scan),
    "changed lines": said(_lines),
    "git": _git,
}
"""By name. An error of ours is an answer; everything else is a finding."""
