"""Configuration: command line, environment, project file, user file, defaults. Each value knows where it is from."""

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Any

import msgspec

from ...errors import ConfigError, nearest
from ...model.diagnostic import Diagnostic, warning
from ...model.validation import explained
from ..disk.walk import at_or_above, expanded, folders
from ..disk.why_not import leads_nowhere
from ..disk.world import World, read_up_to
from ..formats.toml_tables import LARGEST, toml_table
from .keys import KEYS, Features, defined, flat, kind_of, parsed
from .projects_word import project_folder, real_or, where
from .trust import added, extensions, in_place_of, judged, leads_elsewhere
from .values import PROJECT, Config, Defined, Layer, Value

USER_FILE = ".config/overture/overture.toml"


def load_config(world: World, cwd: str, home: str, given: Mapping[str, Any] | None = None) -> Config:
    """The configuration that counts in `cwd`. `given` is what the command line says."""
    notes: list[Diagnostic] = []
    for key in given or {}:
        if key not in KEYS and not key.startswith("recipes."):
            raise ConfigError(f"The setting {key!r} is not known.{nearest(key, KEYS)}")
    layers = [
        Layer("command line", cwd, dict(given or {}), 0),
        *_environment(world, cwd, notes),
        *_project(world, cwd, notes),
        *_file(world, f"{home.rstrip('/')}/{USER_FILE}", 3),
    ]
    typed = [
        layer._replace(values={k: _checked(k, v, layer, home) for k, v in layer.values.items()}) for layer in layers
    ]
    allowed = judged(world, typed, f"{home.rstrip('/')}/{USER_FILE}", home)
    values: dict[str, Value] = dict(added(allowed.layers))
    for layer in allowed.layers:
        for key, value in layer.values.items():
            values.setdefault(key, Value(value, layer.origin, layer.rank, layer.within))
    notes += allowed.notes
    file = next((layer.origin for layer in layers if layer.rank == PROJECT), "")
    return Config(
        values,
        _recipes(allowed.layers, notes),
        tuple(notes),
        extensions(allowed.layers),
        tuple(allowed.untrusted),
        file,
        next(iter(allowed.requests), None),
    )


def _recipes(layers: list[Layer], notes: list[Diagnostic]) -> dict[str, Defined]:
    """The recipes that files define. A project that nobody trusts takes the place of none that the user defines."""
    own = [layer for layer in layers if layer.within is None]
    recipes: dict[str, Defined] = {}
    for layer in (*own, *(layer for layer in layers if layer.within is not None)):
        for name, table in layer.recipes.items():
            line = where(layer, f"recipes.{name}") if layer.within is not None else None
            taken = recipes.setdefault(name, Defined(table, layer.folder, layer.origin, layer.within, line))
            if layer.within is not None and taken.origin != layer.origin:
                notes.append(in_place_of(name, taken.origin, layer.origin, layer.folder, line))
    return recipes


NO_SETTINGS = ("OVERTURE_TOKEN",)
"""Variables of ours that are no settings: what is in them is nobody else's business."""


def _environment(world: World, cwd: str, notes: list[Diagnostic]) -> Iterator[Layer]:
    """Each variable by its own name, `OVERTURE_RECIPES_PI_FOLDER` for a recipe's setting."""
    names = {"OVERTURE_" + key.upper().replace(".", "_"): key for key in KEYS}
    for name, text in sorted(world.environment().items()):
        own = re.fullmatch(r"OVERTURE_RECIPES_([A-Z0-9]+)_([A-Z0-9_]+)", name)
        if name in names:
            yield Layer(name, cwd, {names[name]: parsed(text, KEYS[names[name]])}, 1)
        elif own:
            key = names.get(f"OVERTURE_{own[2]}", own[2].lower())
            kind = KEYS.get(key)
            yield Layer(name, cwd, {f"recipes.{own[1].lower()}.{key}": parsed(text, kind) if kind else text}, 1)
        elif name.startswith("OVERTURE_") and name not in NO_SETTINGS:
            notes.append(warning("config-unknown", f"the variable {name} is not known.{nearest(name, names)}"))


def _project(world: World, cwd: str, notes: list[Diagnostic]) -> Iterator[Layer]:
    """The nearest overture.toml, or pyproject.toml with a [tool.overture] table."""
    for folder in reversed(folders(cwd, None)):
        base = folder.rstrip("/")
        own, other = f"{base}/overture.toml", f"{base}/pyproject.toml"
        found = [*_file(world, own, 2)] if _lies_there(world, own, notes) else []
        found += _pyproject(world, other, notes) if _lies_there(world, other, notes) else ()
        if len(found) > 1:
            notes.append(warning("config-shadowed", f"[tool.overture] is not used: {found[0].origin} comes first",
                                 found[1].origin))  # fmt: skip
        if found:
            yield found[0]
            return


def _lies_there(world: World, path: str, notes: list[Diagnostic]) -> bool:
    """Whether a project's file lies in the project, and is no link to one that somebody else wrote for himself."""
    entry = world.look(path)
    if entry is None or entry.kind != "link":
        return True
    within, real = project_folder(world, path.rpartition("/")[0] or "/"), real_or(world, path)
    target = world.look(real)
    # What is no file is refused for that reason, wherever it lies.
    inside = target is None or target.kind != "file" or at_or_above(within, real)
    if not inside:
        said = f"not read: it is a link that leads out of {within}. Put the file itself there"
        notes.append(warning("config-untrusted", said, path))
    return inside


def _file(world: World, path: str, rank: int) -> Iterator[Layer]:
    raw, data = _toml(world, path)
    if isinstance(data, str):
        raise ConfigError(f"{path}: {data}")
    if data is not None:
        yield Layer(path, path.rpartition("/")[0], dict(flat(data, path)), rank, defined(data), raw)


def _pyproject(world: World, path: str, notes: list[Diagnostic]) -> Iterator[Layer]:
    raw, data = _toml(world, path)
    if isinstance(data, str):
        # It may be somebody else's file: a broken one must not stop us.
        notes.append(warning("config-unreadable", f"passed over: {data}", path))
        return
    tool = (data or {}).get("tool")
    table = tool.get("overture") if isinstance(tool, dict) else None
    if isinstance(table, dict):
        yield Layer(path, path.rpartition("/")[0], dict(flat(table, path)), 2, defined(table), raw)


def _toml(world: World, path: str) -> tuple[bytes, dict[str, Any] | str | None]:
    """The file, and its table, what is wrong with it, or None where there is none."""
    try:
        entry = world.look(path)
        if entry is None:
            return b"", None
        if entry.kind not in ("file", "link"):
            return b"", "it is not a regular file"
        data = read_up_to(world, path, LARGEST)
        return data, toml_table(data)
    except ValueError as problem:
        return b"", str(problem)
    except OSError as problem:
        nowhere = leads_nowhere(world, path) if isinstance(problem, FileNotFoundError) else None
        return b"", nowhere or f"it can't be read: {(problem.strerror or str(problem)).lower()}"


def _checked(key: str, value: Any, layer: Layer, home: str) -> Any:
    """The value in its type, paths made absolute from the folder of the file that gives them."""
    kind = kind_of(key)
    if key.startswith("recipes.") and key.endswith((".trusted", ".trust")):
        name = key.rpartition(".")[2]
        raise ConfigError(f"{layer.origin}: {key}: trust is for every recipe alike; write it as {name!r}.")
    if kind is None:  # a setting of one recipe: its recipe knows it
        return value
    try:
        typed = msgspec.convert(value, kind.type)
    except msgspec.ValidationError as problem:
        raise ConfigError(f"{layer.origin}: {key}: {explained(problem, Features)} It is {value!r}.") from None
    texts = typed if isinstance(typed, tuple) else (typed,)
    if any("\0" in text for text in texts if isinstance(text, str)):
        raise ConfigError(f"{layer.origin}: {key}: {value!r} holds a NUL character, which no path can.")
    if key.endswith("context.filenames") and layer.rank != PROJECT:
        _check_names(typed, key, layer)
    if kind.paths == "list":
        return tuple(expanded(item, layer.folder, home) for item in typed)
    if kind.paths == "place":
        return typed if not typed or "://" in typed else normpath(expanded(typed, layer.folder, home))
    # A text may also be a name: of a recipe. Only a path has an ending.
    is_path = kind.paths == "text" and isinstance(typed, str) and (key != "recipe" or typed.endswith(".toml"))
    return expanded(typed, layer.folder, home) if is_path else typed


def _check_names(names: tuple[str, ...] | None, key: str, layer: Layer) -> None:
    """Names lead nowhere but down: a project's own settings can't pull in files from elsewhere."""
    for name in names or ():
        if leads_elsewhere(name):
            raise ConfigError(f"{layer.origin}: {key}: {name!r} is no name of a file in a folder, e.g. 'TEAM.md'.")
