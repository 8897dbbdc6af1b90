"""Overture assembles the system prompt of an LLM agent, shows what is in it and why, and guards it."""

import re
from importlib import import_module
from typing import Any

from .version import __version__ as __version__

_loader: Any = globals()["__loader__"]  # as pkgutil reads it, which imports five modules
_STUB = _loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
_HOMES = {
    name: home
    for home, names in re.findall(r"(?ms)^from (\.[\w.]+) import (.*?)(?=^from |\Z)", _STUB)
    for name in re.findall(r"(\w+) as \w+", names)
    if name != "__version__"
}
"""The module of each public name, as the stub has them for type checkers."""

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import overture` stays light."""
    if name == "batch":  # a folder whose functions are used by its name
        return import_module(".batch", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'overture' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home, __name__), name)
    return value


# `agents`, `check` and `fit` are functions, not folders. Once a folder is loaded, Python binds its name no
# more.
for _name in ("agents", "check", "fit"):
    import_module(f".{_name}", __name__)
    del globals()[_name]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
