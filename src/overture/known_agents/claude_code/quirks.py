"""Quirks that only Claude Code has. Observed in runs."""

import posixpath

WORKTREES = "/.claude/worktrees/"
ENDINGS = """
md txt text rst adoc asciidoc org tex latex log diff patch lock
json yaml yml toml ini cfg conf config properties env xml csv html htm css scss sass less
js mjs cjs jsx ts mts cts tsx vue svelte astro ejs hbs pug jade php py pyi pyw rb erb rake
c cc cpp cxx h hpp hxx cs go rs swift java kt kts scala sbt gradle clj cljs cljc edn ex exs erl hrl
hs lhs elm ml mli pl pm lua r dart f f90 f95 for sql graphql gql proto
sh bash zsh fish ps1 bat cmd cmake make makefile
"""
IMPORTED_ENDINGS = frozenset(ENDINGS.split())


def choose_touched_files(touching: tuple[str, ...], cwd: str) -> tuple[str, ...]:
    """A file in `.claude/worktrees`, its own folder for worktrees, does not load instructions."""
    start = f"{cwd.rstrip('/')}/"
    return tuple(path for path in touching if WORKTREES not in f"/{path.removeprefix(start)}")


def limit_rule_links(usual: str, step: str) -> str:
    """A symlink to a rule of the project is followed within the project only."""
    return usual if step == "user-rules" else "inside"


def show_rule_path(_: str, real: str) -> str:
    """A symlinked rule has the name of its target."""
    return real


def follow_import_to(_: bool, path: str) -> bool:
    """It imports text, code and data of 106 endings, and names without one; no `.mdc`, `.mdx` or `.markdown`."""
    ending = posixpath.splitext(path)[1]
    return not ending or ending[1:].lower() in IMPORTED_ENDINGS


def import_for_waiting_rule(_: bool) -> bool:
    """What a rule imports is loaded at the start, while the rule itself waits for a file."""
    return True
