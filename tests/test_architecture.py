"""Two rules hold the house together: imports run down only, and only `discovery` touches the world."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .sources import SOURCE, source_nodes, source_paths

PROJECT = Path(__file__).parents[1]
PURE = (
    "text",
    "tokens",
    "model",
    "known_models",
    "assemble",
    "fit",
    "sections",
    "recipes",
    "providers",
    "report",
    "check",
    "tap/wire",
    "tap/judge",
    "tap/attribute",
    "tap/log_formats",
)

FORBIDDEN_MODULES = frozenset(
    (
        "os", "pathlib", "subprocess", "socket", "time", "random", "secrets", "uuid", "urllib", "http", "locale",
        "platform", "getpass", "shutil", "tempfile", "glob", "fileinput", "linecache", "pkgutil", "zoneinfo",
        "importlib.resources", "io.open", "asyncio", "threading",
    )
)  # fmt: skip
FORBIDDEN_CALLS = frozenset(
    (
        "open", "input", "print", "now", "utcnow", "today", "read_text", "read_bytes", "write_text", "getenv",
        "urandom", "exists", "is_file", "is_dir",
    )
)  # fmt: skip
FORBIDDEN_NAMES = frozenset(("environ", "stdin", "argv"))

ALLOWED = {
    ("known_models/model_table.py", "pkgutil"): "the dated table of limits and prices, which is part of the package",
    ("tokens/load_tokenizer.py", "os"): "where tiktoken keeps a vocabulary that it has downloaded",
    ("tokens/load_tokenizer.py", "environ"): "the variables that name that folder",
    ("tokens/load_tokenizer.py", "open"): "the vocabulary in it",
    ("tokens/load_tokenizer.py", "tempfile"): "where that folder is if no variable names it",
    ("tokens/o200k.py", "pkgutil"): "the vocabulary of o200k, which is part of the package",
    ("sections/clock.py", "pkgutil"): "the zone data of the tzdata package, which is the same on every machine",
    ("sections/clock.py", "zoneinfo"): "ZoneInfo.from_file, which is handed that data",
    ("check/fix.py", "os"): "which links lead to a file that --fix changes",
    ("check/project_tree.py", "os"): "the bytes of names that are not UTF-8, as git lists them",
    ("check/project_tree.py", "stdin"): "what git is asked about, which is no stream of this process",
    ("check/suspicious.py", "pkgutil"): "the table of phrases, which is part of the package",
    ("check/engine.py", "pkgutil"): "the pages of the checks, which are part of the package",
    ("check/formats.py", "urllib"): "urllib.parse.quote, which makes text of text",
    ("tap/log_formats/log_entries.py", "urllib"): "urllib.parse.urlsplit, which makes text of text",
    ("text/escape.py", "urllib"): "urllib.parse.unquote, which makes text of text",
}
WAY_OUT = "Let discovery/ read it into a field of State, and name that field as a parameter of the section."


def impurities(module: Iterable[ast.AST], path: str) -> Iterator[str]:
    """What in a module's source reaches for files, environment, clock, network or randomness."""
    for node in module:
        for what, name in _reached(node):
            if (path, name) not in ALLOWED:
                yield f"{path}:{getattr(node, 'lineno', 0)}: {what} {name}, and this folder is pure. {WAY_OUT}"


def _reached(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from (("imports", name) for name in _prefixes(alias.name) if name in FORBIDDEN_MODULES)
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        for full in {name for alias in node.names for name in _prefixes(f"{node.module}.{alias.name}")}:
            if full in FORBIDDEN_MODULES:
                yield "imports", full
    elif isinstance(node, ast.Call):
        name = _last_name(node.func)
        if name in FORBIDDEN_CALLS:
            yield "calls", name
    elif _last_name(node) in FORBIDDEN_NAMES:
        yield "reads", _last_name(node)


def _prefixes(dotted: str) -> Iterator[str]:
    words = dotted.split(".")
    yield from (".".join(words[: end + 1]) for end in range(len(words)))


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def pure_modules() -> list[str]:
    """Every module of the pure folders, from the package's own folder."""
    return [path for name in PURE for path in source_paths(f"{name}/")]


def test_the_pure_folders_never_touch_the_world() -> None:
    """No module that says, assembles, renders or reports a prompt reads files, environment, clock or randomness."""
    modules = pure_modules()
    assert len(modules) > 30
    found = [line for path in modules for line in impurities(source_nodes(path), path)]
    assert not found, "\n".join(found)


def test_every_exception_is_used() -> None:
    """An exception that no module needs any more is taken off the list."""
    used = {(path, name) for path in pure_modules() for node in source_nodes(path) for _, name in _reached(node)}
    assert set(ALLOWED) <= used


def lint_imports(root: Path, *added: tuple[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the project's import contracts over a copy of the package, with a line added to some modules."""
    shutil.copytree(SOURCE, root / "src" / "overture", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", root)
    for at, line in added:
        module = root / "src" / "overture" / at
        module.write_text(module.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    script = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [script, "--config", "pyproject.toml", "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_run_down_only(tmp_path: Path) -> None:
    """The import contracts of the project hold."""
    result = lint_imports(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


"""Up, from the floor, between neighbours, to a session, to the command line's library, to the server's."""


def makes_admitted(module: Iterable[ast.AST]) -> bool:
    """Whether a module makes an SafeText of a text."""
    return any(
        "SafeText" in ast.unparse(each)
        for node in module
        if isinstance(node, ast.Call) and _last_name(node.func).endswith(("SafeText", "SafeTool", "cast"))
        for each in (node.func, *node.args)
    )


def test_only_the_gate_admits() -> None:
    """No recipe, hook or renderer can put a text into a prompt that did not pass the gate."""
    makers = {path for path in source_paths() if makes_admitted(source_nodes(path))}
    assert makers == {"assemble/sanitize/sanitize.py", "model/safe_text.py"}


WRITERS = {
    "discovery/write_file.py": "the one way to write a file",
    "audit/command.py": "files of a temporary folder",
    "audit/run.py": "results that a run without --resume begins anew, in the file that only one run holds",
    "tap/store/sqlite.py": "SQLite writes its file by itself",
    "tap/proxy/certificate_authority.py": "files of a temporary folder",
    "cli/fail_and_end.py": "standard output that is closed becomes /dev/null",
}
WRITING_NAMES = frozenset(
    (
        "O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "write_text", "write_bytes", "mkstemp", "open_file",
        "NamedTemporaryFile", "symlink", "symlink_to", "hardlink_to", "copyfile", "copytree", "copy2", "truncate",
    )
)  # fmt: skip
WRITING_CALLS = frozenset(("os.replace", "os.rename", "os.link", "os.renames", "shutil.move", "shutil.copy"))


def writes(module: Iterable[ast.AST]) -> Iterator[str]:
    """What in a module writes a file other than through the one function."""
    for node in module:
        if isinstance(node, ast.Attribute):
            if node.attr in WRITING_NAMES or ast.unparse(node) in WRITING_CALLS:
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and _last_name(node.func) in ("open", "fdopen"):
            given = [*node.args, *(word.value for word in node.keywords)]
            modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            yield from (mode for mode in modes if re.fullmatch(r"[rwxabt]*[wxa+][rwxabt+]*", mode))


def test_files_are_written_in_one_way() -> None:
    """Through links, half, or beside a full disk nothing is written: only one module opens files for writing."""
    found = {path: set(writes(source_nodes(path))) for path in source_paths()}
    assert {name: names for name, names in found.items() if names and name not in WRITERS} == {}
    assert [name for name in WRITERS if not found[name]] == []
