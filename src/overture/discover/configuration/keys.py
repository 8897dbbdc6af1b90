"""Lists every configuration key with its type and default; an unknown key is an error that names the nearest."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_origin

import msgspec

from ...errors import ConfigError, find_similar
from ...model.state.state import Audience, Secrets
from ...model.struct import Frozen, note


class Features(Frozen, frozen=True):
    """What discovery may look for."""

    context_enabled: Annotated[bool, note("load project files")] = True
    context_filenames: Annotated[
        tuple[str, ...] | None, note("their names, in place of the recipe's; all that are there are taken")
    ] = None
    context_nested: Annotated[bool | None, note("deliver those below cwd in a session; null: as the recipe says")] = (
        None
    )
    skills_enabled: Annotated[bool, note("load skills")] = True
    skills_extra_dirs: Annotated[tuple[str, ...], note("further folders with skills, last in order")] = ()
    git_enabled: Annotated[bool, note("ask git, where the recipe says what it answers")] = False
    links_allow: Annotated[tuple[str, ...], note("folders that links may lead to, outside the project")] = ()
    links_outside: Annotated[
        bool, note("read all that a project's settings, links and imports reach outside the project")
    ] = False
    extensions_enabled: Annotated[bool, note("load extensions of the configuration and of installed packages")] = True
    context_within: Annotated[str | None, note("the folder below which alone those names count: a project's own")] = (
        None
    )


ProjectPermission = Literal["yes", "inside", "strict", "trusted", "never"]
"""What a project's own file may say of a key before somebody trusts it."""


class ConfigKey(NamedTuple):
    """One thing that can be configured."""

    type: Any
    default: Any
    about: str
    paths: Literal["", "text", "list", "place"] = ""
    """Whether a text, or each text of a list, is a path, relative to the file that gives it; a place may be a URL."""
    project: ProjectPermission = "yes"
    strict: Any = False
    """The one value that a project may give where that is all it may say: the one that allows least."""


Names = tuple[str, ...]
Amount = Annotated[float, msgspec.Meta(ge=0)] | None
KEYS = {
    "recipe": ConfigKey(str, None, "the recipe to use when none is named", "text", "inside"),
    "tools": ConfigKey(
        Names | str, None, "the active tools: names of the recipe's own, or a JSON file", "text", "inside"
    ),
    "models": ConfigKey(
        str, None, "a TOML file with limits and prices of models, over the package's own", "text", "inside"
    ),
    "extensions": ConfigKey(
        Names, (), "functions that set up a session: module:function, or file.py:function", project="trusted"
    ),
    "trusted": ConfigKey(Names, (), "folders whose projects may say all that you may say", "list", "never"),
    "trust": ConfigKey(
        Literal["read", "ask"], "read", "ask: a project's instruction files wait for `overture trust`", project="never"
    ),
    "audience": ConfigKey(
        Audience,
        "private",
        "who may read the prompt: public leaves out memories, user, soul, host and workspace files",
        project="strict",
        strict="public",
    ),
    "secrets": ConfigKey(
        Secrets,
        "redact",
        "keys and tokens: redact writes `[secret: kind]`, show leaves them",
        project="strict",
        strict="redact",
    ),
    "features.context.enabled": ConfigKey(bool, True, "load project files such as AGENTS.md"),
    "features.context.filenames": ConfigKey(
        Names | None, None, "their names, in place of the recipe's; all that are there are taken", project="inside"
    ),
    "features.context.nested": ConfigKey(
        bool | None, None, "deliver those below cwd in a session, in place of the recipe's word"
    ),
    "features.skills.enabled": ConfigKey(bool, True, "load skills"),
    "features.skills.extra_dirs": ConfigKey(Names, (), "further folders with skills, last in order", "list", "inside"),
    "features.git.enabled": ConfigKey(bool, False, "ask git for branch, status and last commits", project="strict"),
    "features.links.allow": ConfigKey(
        Names, (), "folders outside the project that links may lead to", "list", "inside"
    ),
    "features.links.outside": ConfigKey(
        bool,
        False,
        "read all that a project's settings, links and imports reach outside the project, as --read-outside does",
        project="never",
    ),
    "features.extensions.enabled": ConfigKey(
        bool, True, "load extensions of the configuration and of installed packages", project="trusted"
    ),
    "runtime.docs.main": ConfigKey(
        str, None, "where the harness's documentation lies: a path or a URL", "place", "inside"
    ),
    "runtime.docs.additional": ConfigKey(str, None, "where more of it lies", "place", "inside"),
    "runtime.docs.examples": ConfigKey(str, None, "where examples for it lie", "place", "inside"),
    "check.select": ConfigKey(Names, (), "the checks that count, by code or how codes begin; none: all"),
    "check.ignore": ConfigKey(Names, (), "checks that do not count"),
    "check.severity": ConfigKey(
        dict[str, Literal["error", "warning", "info"]], {}, "how bad a finding of a check is, in place of its own word"
    ),
    "check.exclude": ConfigKey(Names, (), "files that are not spoken of: paths below the project, with *"),
    "tap.days": ConfigKey(Amount, None, "after each run of the tap, calls that are older are removed", project="never"),
    "tap.megabytes": ConfigKey(Amount, None, "then the oldest, until its store takes no more", project="never"),
}
SWITCH_TYPES = (bool, bool | None)
SWITCH_WORDS = {"1": True, "yes": True, "on": True, "true": True, "0": False, "no": False, "off": False, "false": False}


def find_key(key: str) -> ConfigKey | None:
    """The key of the table above that a dotted key stands for, also under `recipes.NAME.`."""
    if key.startswith("recipes.") and key.count(".") >= 2:
        key = key.split(".", 2)[2]
    return KEYS.get(key)


def parse_value(text: str, key: ConfigKey) -> Any:
    """A text of the environment or the command line in the type of its key."""
    if get_origin(key.type) is Literal:
        return text
    if key.type in SWITCH_TYPES and text.lower() in SWITCH_WORDS:
        return SWITCH_WORDS[text.lower()]
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        value = text
    is_text = key.type is str or get_origin(key.type) is Literal
    takes_list = key.type not in (*SWITCH_TYPES, Amount) and not is_text
    if takes_list and isinstance(value, str) and not value.endswith(".json"):
        return [part.strip() for part in value.split(",") if part.strip()]
    return str(text) if is_text else value


DEFINING = ("extends", "sections", "remove", "rules", "wants", "about", "active", "sealed", "fence_below")
"""A `[recipes.NAME]` table with one of these defines a recipe; otherwise it holds settings for one."""
SETTINGS = ("features", "runtime")
"""Tables of settings that may stand in the table of a recipe which is defined there too."""


def find_recipe_tables(table: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The recipes that a configuration table defines."""
    recipes = table.get("recipes")
    if not isinstance(recipes, Mapping):
        return {}
    return {
        name: {key: value for key, value in own.items() if key not in SETTINGS}
        for name, own in recipes.items()
        if isinstance(own, Mapping) and any(key in own for key in DEFINING)
    }


def flatten_table(table: Mapping[str, Any], origin: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """A nested table as dotted keys; an unknown key is an error that names the nearest."""
    recipes = find_recipe_tables(table) if not prefix else {}
    if recipes:
        others = {name: own for name, own in table["recipes"].items() if name not in recipes}
        switches = {
            name: {key: value for key, value in table["recipes"][name].items() if key in SETTINGS} for name in recipes
        }
        table = {**table, "recipes": {**others, **switches}}
    for name, value in table.items():
        key = prefix + name
        if key in KEYS or (key.startswith("recipes.") and key.count(".") >= 2 and not isinstance(value, Mapping)):
            yield key, value
        elif isinstance(value, Mapping) and _leads_on(key):
            yield from flatten_table(value, origin, key + ".")
        elif _leads_on(key):
            message = f"{key!r} is a table, not {value!r}"
            raise ConfigError(f"{origin}: {message}.", message=message, place=key)
        else:
            tables = (each[: dot.start()] for each in KEYS for dot in re.finditer(r"\.", each))
            raise ConfigError(
                f"{origin}: {key!r} is not known.", message=f"No setting named {key!r}", noun="setting", place=key,
                tip=find_similar(key, {"recipes", *KEYS, *tables}),
            )  # fmt: skip


def _leads_on(key: str) -> bool:
    return key.split(".")[0] == "recipes" or any(known.startswith(key + ".") for known in KEYS)
