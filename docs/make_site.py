"""Build the site of the manual into build/site: `make docs`. Warnings are errors.

GitHub shows the pages where they are. The site has a page also for each file outside docs/ that a page links to, so
that no link leads out of it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
OUTSIDE = "repository"
"""The folder of the site that has the files from outside docs/."""
PROJECT_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")
FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"^(`{3,}\w+) (\S+)$", re.MULTILINE)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)#\s]+)")
TABLE_ROW = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
GLOB = re.compile(r'^ *"([\w/-]+)/\*\.md",\n', re.MULTILINE)
ADDRESS = "https://overture.example/"
"""The address of the site in zensical.toml, which llms.txt needs."""
CANONICAL = re.compile(r'<link rel="?canonical"?[^>]*>')
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".yml": "yaml"}


def gather(target: Path) -> None:
    """Copy all pages, and what they link to, into a folder that is a site's source."""
    waiting = [*(ROOT / name for name in PROJECT_PAGES), *DOCS.rglob("*.md"), *(DOCS / "assets").iterdir()]
    seen = set(waiting)
    while waiting:
        file = waiting.pop()
        linked = _copy(file, target / _place(file))
        waiting += linked - seen
        seen |= linked


def _copy(file: Path, target: Path) -> set[Path]:
    """Copy one file into the site's source; what it links to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".md":
        text, linked = _with_links(file)
        target.write_text(text, "utf-8")
        return linked
    if file.suffix in LANGUAGES:
        name = file.relative_to(ROOT).as_posix()
        block = f"````{LANGUAGES[file.suffix]}\n{file.read_text('utf-8')}````\n"
        target.write_text(f"---\nsearch:\n  exclude: true\n---\n\n# {name}\n\n{block}", "utf-8")
    else:
        shutil.copyfile(file, target)
    return set()


def _place(file: Path) -> Path:
    """Where a file of the project is in the site's source; a source file is a page there."""
    place = file.relative_to(DOCS) if file.is_relative_to(DOCS) else OUTSIDE / file.relative_to(ROOT)
    return place.with_name(place.name + ".md") if file.suffix in LANGUAGES else place


def _with_links(page: Path) -> tuple[str, set[Path]]:
    """A page's text with its links as the site has them, and the files that it links to."""
    linked: set[Path] = set()

    def moved(found: re.Match[str]) -> str:
        file = Path(os.path.normpath(page.parent / found[1]))
        if file.is_dir():
            file = next((file / name for name in ("README.md", "__init__.py") if (file / name).exists()), file)
        if not file.is_file():
            sys.exit(f"error: {page.relative_to(ROOT)} links to `{found[1]}`, which does not exist")
        linked.add(file)
        return os.path.relpath(_place(file), _place(page).parent)

    text, parts, end = page.read_text("utf-8"), [], 0
    for fence in FENCE.finditer(text):
        prose = unescape_table_code(text[end : fence.start()])
        parts += [LINK.sub(moved, prose), FILE_NAME.sub(r'\1 title="\2"', fence[0])]
        end = fence.end()
    return "".join(parts) + LINK.sub(moved, unescape_table_code(text[end:])), linked


def unescape_table_code(text: str) -> str:
    """A page's text without backslashes before bars in the code of table cells: the site would show them."""

    def unescape_row(row: re.Match[str]) -> str:
        return CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])

    return TABLE_ROW.sub(unescape_row, text)


def configuration() -> str:
    """zensical.toml with its menu complete: `agents/*.md` stands for that folder's pages; llms.txt lists the menu."""

    def pages(found: re.Match[str]) -> str:
        names = sorted(each.name for each in (DOCS / found[1]).glob("*.md"))
        return "".join(f'"{found[1]}/{name}",\n' for name in names if name != "README.md")

    text = GLOB.sub(pages, (ROOT / "zensical.toml").read_text("utf-8"))
    sections = "".join(f"{title} = {json.dumps(names)}\n" for title, names in menu(text).items())
    return f"{text}\n[project.plugins.llmstxt.sections]\n{sections}"


def menu(text: str) -> dict[str, list[str]]:
    """The pages of each tab, in the order of the menu."""
    tabs = [tab for entry in tomllib.loads(text)["project"]["nav"] for tab in entry.items()]
    return {title: list(_leaves(entries)) for title, entries in tabs}


def _leaves(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _leaves(each)


def main(build: Path) -> int:
    """Gather the pages and build the site; the exit code of the generator."""
    shutil.rmtree(build / "pages", ignore_errors=True)
    gather(build / "pages")
    (build / "zensical.toml").write_text(configuration(), "utf-8")
    command = (Path(sys.executable).with_name("zensical"), "build", "--strict", "--clean")
    code = subprocess.run(command, cwd=build, check=False).returncode
    write_addresses(build / "site", os.environ.get("SITE_URL", ""))
    correct_theme(build / "site")
    return code


def write_addresses(site: Path, url: str) -> None:
    """Write the site's address into all pages; without one, links are relative and no page names an address."""
    for file in [*site.rglob("*.html"), *site.rglob("*.md"), *site.glob("llms*.txt"), *site.glob("sitemap.xml")]:
        text = file.read_text("utf-8")
        here = os.path.relpath(site, file.parent) + "/" if file.parent != site else ""
        text = text.replace(ADDRESS, url) if url else CANONICAL.sub("", text).replace(ADDRESS, here)
        file.write_text(text, "utf-8")


def correct_theme(site: Path) -> None:
    """Correct what axe finds in the theme: light greys in the search, and a landmark for each code block."""
    for file in site.glob("assets/javascripts/bundle*.js"):
        text = file.read_text("utf-8").replace("(--color-foreground)/.45", "(--color-foreground)/.7")
        file.write_text(text.replace('"nav",{class:"md-code__nav"', '"div",{class:"md-code__nav"'), "utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build"))
