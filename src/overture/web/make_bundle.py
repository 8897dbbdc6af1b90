"""Bundles the page's modules into one script and its styles into one sheet.

Only the standard library is imported: the build of the wheel runs this file by itself. A checkout bundles as the page
starts, so that a changed module needs no build.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

IMPORT = re.compile(r'^import\s*(?:(\w+)\s*|\{([^}]*)\}\s*)from\s*"([^"]+)";', re.MULTILINE)
EXPORTED = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
EXPORT_LIST = re.compile(r"export\s*\{([^}]*)\};?\s*$")
EXPORT_DEFAULT = re.compile(r"^export default |(?<=;)export default ", re.MULTILINE)
STYLE = re.compile(r'<link rel="stylesheet" href="/static/([^"]*)">\n')
SCRIPTS = re.compile(
    r'<script type="importmap">(.*?)</script>\n<script type="module" src="/static/([^"]*)"></script>', re.DOTALL
)
PAGE_VIEWS = ("prompt", "turns", "agents", "files", "check", "calls")
"""Every view, in the order of the menu."""
NAMES = ("page.js", "page.css")
"""The two files of a bundle, as the wheel has them."""


class PageBundle(NamedTuple):
    """All scripts and all styles of the page."""

    script: str
    style: str


def name_views(page: str, views: Sequence[str]) -> str:
    """The page, with the names of the views that can answer here."""
    return page.replace('<div id="page">', f'<div id="page" data-views="{" ".join(views)}">')


def read_bundle() -> PageBundle:
    """The page's bundle of the wheel; in a checkout, one of the modules as they are now."""
    bundle = files("overture.web") / "bundle"
    if bundle.is_dir():
        script, style = ((bundle / name).read_text("utf-8") for name in NAMES)
        return PageBundle(script, style)
    return make_bundle(files("overture.web") / "static")


def make_bundle(static: Traversable) -> PageBundle:
    """Join the modules in the order in which they need each other, and the styles in the order of the page."""
    page = (static / "index.html").read_text("utf-8")
    match = SCRIPTS.search(page)
    assert match is not None
    table: dict[str, str] = json.loads(match[1])["imports"]
    modules = _Modules(static, {name: path.removeprefix("/static/") for name, path in table.items()})
    modules.add(f"overture/{match[2]}")
    style = "\n".join((static / name).read_text("utf-8") for name in STYLE.findall(page))
    script = "\n".join(["const modules = {};", *modules.bodies.values()])
    return PageBundle(script.replace("</script", "<\\/script"), style)


class _Modules:
    """Modules by their names, each behind those that it imports."""

    def __init__(self, static: Traversable, table: dict[str, str]) -> None:
        """Begin to bundle modules; `table` is the page's import map."""
        self.static, self.table = static, table
        self.bodies: dict[str, str] = {}
        self.open: list[str] = []

    def add(self, name: str) -> None:
        """Add a module of the page to the bundle, behind those that it imports."""
        if name in self.bodies:
            return
        if name in self.open:
            raise ValueError(f"Modules import each other in a circle: {' -> '.join([*self.open, name])}.")
        self.open.append(name)
        own = next((prefix for prefix in self.table if prefix.endswith("/") and name.startswith(prefix)), name)
        text = (self.static / (self.table[own] + name.removeprefix(own))).read_text("utf-8")
        for match in IMPORT.finditer(text):
            self.add(match[3])
        self.bodies[name] = _wrap_module(name, text)
        self.open.pop()


def _wrap_module(name: str, text: str) -> str:
    """A module as a function that gives its exports: its own names stay its own."""
    exports = {shown: own for own, shown in _parse_renames(EXPORT_LIST.search(text))} | {
        n: n for _, n in EXPORTED.findall(text)
    }
    if EXPORT_DEFAULT.search(text):
        exports["default"] = "byDefault"
    text = EXPORT_DEFAULT.sub("const byDefault = ", EXPORT_LIST.sub("", EXPORTED.sub(r"\1", text)))
    text = IMPORT.sub(_take_import, text).rstrip()
    members = ", ".join(f"{shown}: {own}" for shown, own in exports.items())
    return f'modules["{name}"] = (() => {{\n{text}\nreturn {{ {members} }};\n}})();'


def _take_import(match: re.Match[str]) -> str:
    """An import of a module, as the bundled script has it."""
    names = (
        ", ".join(f"{given}: {own}" for given, own in _parse_renames(match, 2)) if match[2] else f"default: {match[1]}"
    )
    return f'const {{ {names} }} = modules["{match[3]}"];'


def _parse_renames(found: re.Match[str] | None, group: int = 1) -> list[tuple[str, str]]:
    """`a, b as c` -> (a, a), (b, c)."""
    listed = [each.split(" as ") for each in found[group].split(",")] if found else []
    return [(names[0].strip(), names[-1].strip()) for names in listed if names[0].strip()]
