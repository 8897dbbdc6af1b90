"""What one agent alone does: a class for each, with a function for each hook of `apply_quirk` that it answers."""

import posixpath
from collections.abc import Mapping
from typing import Any

from ..text.frontmatter import FrontmatterField, scalar_text

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


class ClaudeCode:
    """What Claude Code alone does. Seen in runs."""

    @staticmethod
    def choose_touched_files(touching: tuple[str, ...], cwd: str) -> tuple[str, ...]:
        """A file in `.claude/worktrees`, its own folder for worktrees, does not load instructions."""
        start = f"{cwd.rstrip('/')}/"
        return tuple(path for path in touching if WORKTREES not in f"/{path.removeprefix(start)}")

    @staticmethod
    def limit_rule_links(usual: str, step: str) -> str:
        """A symlink to a rule of the project is followed within the project only."""
        return usual if step == "user-rules" else "inside"

    @staticmethod
    def show_rule_path(_: str, real: str) -> str:
        """A symlinked rule has the name of its target."""
        return real

    @staticmethod
    def follow_import_to(_: bool, path: str) -> bool:
        """It imports text, code and data of 106 endings, and names without one; no `.mdc`, `.mdx` or `.markdown`."""
        ending = posixpath.splitext(path)[1]
        return not ending or ending[1:].lower() in IMPORTED_ENDINGS

    @staticmethod
    def import_for_waiting_rule(_: bool) -> bool:
        """What a rule imports is loaded at the start, while the rule itself waits for a file."""
        return True


class Codex:
    """What Codex alone does. Seen in runs of 0.166.0."""

    @staticmethod
    def find_linked_skill(_: bool) -> bool:
        """A `SKILL.md` that is a symlink is skipped."""
        return False


def _says_something(field: FrontmatterField | None) -> bool:
    """Whether a value is there that is no pattern, and not one of those that stand for nothing."""
    if field is None or field.kind in ("null", "list"):
        return False
    return field.kind == "map" or scalar_text(field) not in ("", "0", "false")


class Continue:
    """What Continue alone does. Seen in runs."""

    @staticmethod
    def skip_rule(
        _: bool, patterns: tuple[str, ...], fields: Mapping[str, FrontmatterField], keys: tuple[str, ...]
    ) -> bool:
        """A rule with patterns is skipped, whatever files the agent works on."""
        return bool(patterns) or any(_says_something(fields.get(key)) for key in keys)


IMPORTING_FILES = ("copilot-instructions.md", "agents.md", "claude.md")


class CopilotCli:
    """What Copilot CLI alone does. Seen in runs."""

    @staticmethod
    def follow_imports_in(_: bool, path: str, _text: str, first: bool) -> bool:
        """`@path` works only in `copilot-instructions.md`, `AGENTS.md` and `CLAUDE.md`, and in files they import."""
        return not first or path.rpartition("/")[2].casefold() in IMPORTING_FILES

    @staticmethod
    def follow_undecoded_import(_: bool) -> bool:
        """`@path` does not import a file that is not UTF-8."""
        return False

    @staticmethod
    def rename_skill(name: str) -> str:
        """Spaces in the name of a skill become hyphens."""
        return name.replace(" ", "-")


INSIDE = {"path": "**/*.instructions.md", "agents": "*.agent.md"}
"""A step -> what is looked for in a folder that a setting adds to it."""


class CopilotInVsCode:
    """What Copilot in VS Code alone does. Read in its source."""

    @staticmethod
    def read_pattern_list(_: bool, key: str) -> bool:
        """A list in `applyTo` has no effect: it has to be one string, with commas."""
        return key != "applyTo"

    @staticmethod
    def hold_for_all_files(_: bool, every: list[bool]) -> bool:
        """With a pattern for all files among others, a rule is always loaded."""
        return any(every)

    @staticmethod
    def set_folders(_: bool, target: dict[str, Any], folders: Mapping[str, bool]) -> bool:
        """A setting is a table of folders: true adds a folder to the search, false removes it."""
        added = [path for path, on in folders.items() if on]
        if "names" in target:
            inside = INSIDE.get(target["step"])
            names = [*target["names"], *(f"{path}/{inside}" for path in added if inside)]
            disabled = tuple(f"{path}/" for path, on in folders.items() if not on)
            target["names"] = [name for name in dict.fromkeys(names) if not name.startswith(disabled)]
            return True
        own = [f"~/{folder}" for folder in target.get("home", [])]
        project = dict.fromkeys([*target.get("project", []), *(path for path in added if path not in own)])
        target["project"] = [folder for folder in project if folders.get(folder, True)]
        target["home"] = [folder[2:] for folder in own if folders.get(folder, True)]
        return True


class Crush:
    """What Crush alone does. Read in its source."""

    @staticmethod
    def take_folders(_: bool) -> bool:
        """A name of a folder means all files in it; symlinked folders are not searched."""
        return True


AGENT_KEYS = (
    "kind", "name", "description", "display_name", "tools", "mcp_servers", "model", "temperature", "max_turns",
    "timeout_mins",
)  # fmt: skip


class GeminiCli:
    """What Gemini CLI alone does. Seen in runs."""

    @staticmethod
    def order_names(names: tuple[str, ...]) -> tuple[str, ...]:
        """Files with different names in one folder are sorted by name."""
        return tuple(sorted(names))

    @staticmethod
    def reject_helper(hidden: str, fields: Mapping[str, str], _body: str) -> str:
        """A sub-agent with an unknown key in its frontmatter, such as `color`, is not listed."""
        odd = next((key for key in fields if key not in AGENT_KEYS), None)
        return f"its frontmatter has the key {odd!r:.60}, which this agent does not know" if odd is not None else hidden


MAX_IMPORTING_BYTES = 131_072


class Goose:
    """What goose alone does. Read in its source."""

    @staticmethod
    def limit_importing_file(_: int | None) -> int:
        """Bytes of a file over which it imports no others."""
        return MAX_IMPORTING_BYTES

    @staticmethod
    def follow_imports_in(_: bool, _path: str, text: str, _first: bool) -> bool:
        """In files of more than 131,072 bytes `@path` has no effect."""
        return len(text.encode()) <= MAX_IMPORTING_BYTES

    @staticmethod
    def follow_import_again(_: bool) -> bool:
        """A file that is imported again is loaded again; only a cycle is stopped."""
        return True

    @staticmethod
    def follow_ignored_import(_: bool, step: str) -> bool:
        """Files that git ignores are not imported, except by files below the working directory."""
        return step == "nested"


class Kimi:
    """What Kimi alone does. Seen in runs."""

    @staticmethod
    def choose_skill_needs(needs: tuple[str, ...] | None, alone: bool) -> tuple[str, ...] | None:
        """A file that is a skill by itself needs only valid YAML as frontmatter."""
        return ("yaml",) if alone else needs


MIN_AGENT_CHARS = 10


class QwenCode:
    """What Qwen Code alone does. Seen in runs."""

    @staticmethod
    def reject_helper(hidden: str, _fields: Mapping[str, str], body: str) -> str:
        """A sub-agent needs at least 10 characters below its frontmatter."""
        short = len(body.strip()) < MIN_AGENT_CHARS
        return (
            f"it has fewer than {MIN_AGENT_CHARS} characters below its frontmatter" if short and not hidden else hidden
        )


class RooCode:
    """What Roo Code alone does. Read in its source."""

    @staticmethod
    def stop_for_empty_file(_: bool) -> bool:
        """An empty file in the rules folder also hides the old rules file."""
        return True


QUIRKS: dict[str, type] = {
    "claude-code": ClaudeCode,
    "codex": Codex,
    "continue-cli": Continue,
    "copilot-cli": CopilotCli,
    "copilot-vscode": CopilotInVsCode,
    "crush": Crush,
    "gemini-cli": GeminiCli,
    "goose": Goose,
    "kimi": Kimi,
    "qwen-code": QwenCode,
    "roo": RooCode,
}
"""The name of an agent -> its class."""
