"""Write docs/reference/*.md from the code: `make docs`."""

import inspect
import re
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import msgspec
from diagnostic_codes import DIAGNOSTIC_CODES
from markdown_table import table
from python_reference import field_note, python

from overture.check.engine import RULES
from overture.cli.describe_wants_and_paths import describe_wants
from overture.cli.group import COMMANDS, Commands
from overture.discovery.configuration.keys import KEYS, ConfigKey
from overture.model.prompt.saved_prompt import SavedPrompt
from overture.model.state.state import State
from overture.model.wants import Wants
from overture.recipes import BUILTIN, builtin
from overture.recipes.toml.make_section import RecipeForm
from overture.tap.command import COMMANDS as TAP_COMMANDS

FOLDER = Path(__file__).parent / "reference"
MADE = "<!-- Made by docs/make_reference.py. Change the code, then run `make docs`. -->\n\n"


def pages() -> dict[str, str]:
    """Every page by its file name."""
    made = {
        "commands.md": commands(),
        "recipes.md": recipes(),
        "state.md": structs("State", "What `--state` takes and `overture state` prints.", State),
        "prompt.md": structs("Prompt as JSON", "What `overture build --format json` prints.", SavedPrompt),
        "toml.md": structs("Recipes in TOML", "The keys of a recipe's .toml file.", RecipeForm, Wants),
        "configuration.md": configuration(),
        "checks.md": checks(),
        "python.md": python(),
        "interface.md": interface(),
    }
    return {name: MADE + text.rstrip() + "\n" for name, text in made.items()}


def commands() -> str:
    """Each command with its help and its options."""
    text = "# Commands\n\n"
    context = click.Context(Commands("overture"), info_name="overture")
    for name in COMMANDS:
        command = context.command.get_command(context, name)  # type: ignore[attr-defined]
        text += _command(f"overture {name}", command, "##")
        if isinstance(command, click.Group):
            for below in TAP_COMMANDS if name == "tap" else command.commands:
                text += _command(f"overture {name} {below}", command.get_command(context, below), "###")  # type: ignore[arg-type]
    return text


def _command(name: str, command: click.Command, heading: str) -> str:
    usage = " ".join(command.collect_usage_pieces(click.Context(command)))
    about = "\n\n".join(map(_paragraph, inspect.cleandoc(command.help or "").split("\n\n")))
    shown = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    rows = [(f"`{_names(option)}`", option.help or "") for option in shown]
    options = table(("option", "meaning"), rows) + "\n" if rows else ""
    return f"{heading} {name}\n\n`{name} {usage}`\n\n{about}\n\n{options}"


def _paragraph(text: str) -> str:
    """A paragraph of a command's help; its examples, which click leaves as they are, in a fence."""
    if not text.startswith("\b\n"):
        return re.sub(r"\n(?!\n)\s*", "\n", text)
    return "```text\n" + text.removeprefix("\b\n") + "\n```"


def _names(option: click.Option) -> str:
    choices = "|".join(option.type.choices) if isinstance(option.type, click.Choice) else ""
    value = "" if option.is_flag else f" {option.metavar or choices or (option.name or '').upper()}"
    return ", ".join((*option.opts, *option.secondary_opts)) + value


def interface() -> str:
    """What programs rely on: exit codes, the forms of JSON with their versions, errors and codes."""
    from overture.cli.commands.schema import EXIT_CODES, OUTPUTS

    codes = [(str(code), meaning) for code, meaning in EXIT_CODES.items()]
    forms = [(f"`{kind}`", str(output.version), f"`{output.command}`") for kind, output in OUTPUTS.items()]
    versions = (
        "`overture schema KIND` prints the JSON Schema of an output. Within a version, keys are only "
        "added. Removing a key, or changing its type or meaning, makes a new version, which the "
        "changelog announces."
    )
    more = "`overture check` reports the codes that have [a page](checks.md). Diagnostics of prompts and sessions may "
    more += "have any of these codes. A code never changes its meaning; new ones may be added. "
    more += "Errors of the library are listed under [Python](python.md#errors)."
    meanings = {code: rule.title for code, rule in RULES.items()} | DIAGNOSTIC_CODES
    rows = [(f"`{code}`", meanings[code]) for code in sorted(meanings)]
    return (
        f"# What programs rely on\n\n## Exit codes\n\n{table(('code', 'meaning'), codes)}\n\n## JSON\n\n{versions}\n\n"
        f"{table(('kind', 'version', 'command'), forms)}\n\n## Codes\n\n{more}\n\n{table(('code', 'meaning'), rows)}\n"
    )


def checks() -> str:
    """Each check with its severity and its page."""
    about = "What `overture check` finds. Each code has a page: what it finds, why it matters, how to fix it."
    rows = [
        (f"[`{code}`](../../src/overture/check/pages/{code}.md)", rule.severity, rule.title)
        for code, rule in RULES.items()
    ]
    return f"# Checks\n\n{about}\n\n" + table(("code", "severity", "finds"), rows)


def recipes() -> str:
    """Each recipe with its sections, rules, files, tools and settings."""
    text = "# Recipes\n\n"
    for name in BUILTIN:
        recipe = builtin(name)
        sealed = " Sealed: hooks cannot edit its prompt." if recipe.sealed else ""
        clock = " In a session, its clock changes only when the prompt is rebuilt." if recipe.clock == "rebuild" else ""
        text += f"## {name}\n\n{recipe.about}{sealed}{clock}\n\n"
        rows = [(f"`{s.name}`", s.pace, ", ".join(f"`{r}`" for r in s.reads), s.claim) for s in recipe.sections]
        text += table(("section", "pace", "reads", "content"), rows) + "\n"
        rules = [(f"`{r.name}`", str(r.when), " ".join(r.texts)) for s in recipe.sections for r in s.rules]
        if rules:
            text += table(("rule", "applies if", "text"), rules) + "\n"
        if wanted := describe_wants(recipe):
            text += table(("files", "where"), wanted) + "\n"
        if recipe.tools:
            tools = [
                (f"`{t.name}`", "yes" if t.name in recipe.active else "", t.description or "") for t in recipe.tools
            ]
            text += table(("tool", "active", "what it does"), tools) + "\n"
        if recipe.settings:
            text += table(
                ("setting", "default"), [(f"`recipes.{name}.{k}`", f"`{v}`") for k, v in recipe.settings.items()]
            )
            text += "\n"
    return text


def structs(title: str, about: str, *roots: type[msgspec.Struct]) -> str:
    """A struct and all that it holds, each with its fields."""
    text = f"# {title}\n\n{about}\n\n"
    todo = list(roots)
    seen: set[type] = set()
    while todo:
        struct = todo.pop(0)
        if struct in seen:
            continue
        seen.add(struct)
        text += f"## {struct.__name__}\n\n{inspect.cleandoc(struct.__doc__ or '').partition(chr(10))[0]}\n\n"
        hints = get_type_hints(struct, include_extras=True)
        rows = []
        for field in msgspec.structs.fields(struct):
            hint = hints[field.name]
            todo += _structs_in(hint)
            rows.append((f"`{field.encode_name}`", _kind(hint), _field_default(field), field_note(hint)))
        text += table(("key", "value", "default", "meaning"), rows) + "\n"
    return text


def _field_default(field: msgspec.structs.FieldInfo) -> str:
    """What applies without the key: a word, a number, true or false; none is shown for what is then empty."""
    if field.required:
        return "required"
    shown = isinstance(field.default, str | int | float) and field.default != ""
    return f"`{msgspec.json.encode(field.default).decode()}`" if shown else ""


def _structs_in(hint: Any) -> list[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return [hint]
    return [found for arg in get_args(hint) for found in _structs_in(arg)]


KINDS = {"str": "text", "int": "number", "bool": "true or false", "datetime": "time", "Any": "anything"}


def _kind(hint: Any) -> str:
    """A type in words."""
    if hasattr(hint, "__metadata__"):
        return _kind(get_args(hint)[0])
    arguments = [arg for arg in get_args(hint) if arg not in (type(None), ...)]
    name = getattr(hint, "__name__", str(hint))
    if name == "Literal":
        return ", ".join(f"`{value}`" for value in arguments)
    if getattr(hint, "__origin__", None) is tuple:
        return "list of " + " or ".join(map(_kind, arguments))
    if getattr(hint, "__origin__", None) is dict:
        return "object"
    if arguments:
        return " or ".join(map(_kind, arguments))
    return KINDS.get(name, name)


def configuration() -> str:
    """Every setting."""
    places = "`overture.toml`, `[tool.overture]` of pyproject.toml, the environment, or `-c` on the command line"
    about = f"# Settings\n\nSet them in {places}.\n\n"
    rows = [
        (
            f"`{key}`",
            f"`OVERTURE_{key.upper().replace('.', '_')}`",
            _default(key, kind.default),
            kind.about,
            _permission(kind),
        )
        for key, kind in KEYS.items()
    ]
    about += "The last column is what a project's own file may set before you [trust](../trust.md) it.\n\n"
    return about + table(("key", "variable", "default", "meaning", "from a project"), rows)


def _permission(kind: ConfigKey) -> str:
    """What a project's own file may set."""
    if kind.project == "ask":
        return "after approval" if kind.harmless is None else f"only `{str(kind.harmless).lower()}`"
    return "paths inside the project" if kind.project == "yes" and kind.paths else kind.project


def _default(key: str, value: object) -> str:
    if value is not None:
        return f"`{msgspec.json.encode(value).decode()}`"
    return NO_DEFAULT.get(key, "none")


NO_DEFAULT = {"recipe": '`"house"`', "tools": "the recipe's"}
NO_DEFAULT |= dict.fromkeys(("features.context.filenames", "features.context.nested"), "the recipe's")
"""What applies instead of a default."""


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"docs/reference/{name}\n")


if __name__ == "__main__":
    main()
