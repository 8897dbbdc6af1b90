"""What can be configured: the keys with types and defaults, and the switches for discovery."""

from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from ...model.struct import Frozen, note


class Features(Frozen, frozen=True):
    """What discovery may look for."""

    context_enabled: Annotated[bool, note("load project files")] = True
    context_filenames: Annotated[tuple[str, ...] | None, note("their names, in place of the recipe's")] = None
    context_nested: Annotated[bool | None, note("deliver those below cwd in a session; null: as the recipe says")] = (
        None
    )
    skills_enabled: Annotated[bool, note("load skills")] = True
    skills_extra_dirs: Annotated[tuple[str, ...], note("further folders with skills, last in order")] = ()
    links_allow: Annotated[tuple[str, ...], note("folders that links may lead to, outside the project")] = ()
    extensions_enabled: Annotated[bool, note("load extensions of the configuration and of installed packages")] = True


class Key(NamedTuple):
    """One thing that can be configured."""

    type: Any
    default: Any
    about: str
    paths: Literal["", "text", "list", "place"] = ""
    """Whether a text, or each text of a list, is a path, relative to the file that gives it; a place may be a URL."""


Names = tuple[str, ...]
KEYS = {
    "recipe": Key(str, None, "the recipe to use when none is named", "text"),
    "tools": Key(Names | str, None, "the active tools: names of the recipe's own, or a JSON file", "text"),
    "models": Key(str, None, "a TOML file with limits and prices of models, over the package's own", "text"),
    "extensions": Key(Names, (), "functions that set up a session: module:function, or file.py:function"),
    "trusted": Key(Names, (), "folders whose projects may bring extensions; not from a project's own file", "list"),
    "features.context.enabled": Key(bool, True, "load project files such as AGENTS.md"),
    "features.context.filenames": Key(Names | None, None, "their names, in place of the recipe's"),
    "features.context.nested": Key(
        bool | None, None, "deliver those below cwd in a session, in place of the recipe's word"
    ),
    "features.skills.enabled": Key(bool, True, "load skills"),
    "features.skills.extra_dirs": Key(Names, (), "further folders with skills, last in order", "list"),
    "features.links.allow": Key(Names, (), "folders outside the project that links may lead to", "list"),
    "features.extensions.enabled": Key(bool, True, "load extensions of the configuration and of installed packages"),
    "runtime.docs.main": Key(str, None, "where the harness's documentation lies: a path or a URL", "place"),
    "runtime.docs.additional": Key(str, None, "where more of it lies", "place"),
    "runtime.docs.examples": Key(str, None, "where examples for it lie", "place"),
}
SWITCH = (bool, bool | None)
SWITCHES = {"1": True, "yes": True, "on": True, "true": True, "0": False, "no": False, "off": False, "false": False}


def kind_of(key: str) -> Key | None:
    """The key of the table above that a dotted key stands for, also under `recipes.NAME.`."""
    if key.startswith("recipes.") and key.count(".") >= 2:
        key = key.split(".", 2)[2]
    return KEYS.get(key)


def parsed(text: str, key: Key) -> Any:
    """A text of the environment or the command line in the type of its key."""
    if key.type in SWITCH and text.lower() in SWITCHES:
        return SWITCHES[text.lower()]
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        value = text
    takes_list = key.type not in SWITCH and key.type is not str
    if takes_list and isinstance(value, str) and not value.endswith(".json"):
        return [part.strip() for part in value.split(",") if part.strip()]
    return str(text) if key.type is str else value
