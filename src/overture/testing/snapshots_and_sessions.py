"""What the fixtures of the plugin give: a session of a project, and a prompt as a Markdown file beside a test."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ..discovery.write_file import write_file
from ..model.prompt.prompt import Prompt
from ..model.state.agent_and_runtime import SessionInfo
from ..report.text_diff import diff_lines
from ..session.session import Session
from ..session.session_files import collect_caller_fields
from ..text.escape import choose_fence, escape_diff_line
from ..text.words import count_noun
from .assertions import PromptLike, find_prompt
from .worlds import IsolatedWorld

SNAPSHOT_FOLDER = "__prompts__"
"""Not syrupy's folder: syrupy deletes the files in its own that no test of its uses."""
UPDATE_HINT = "hint: `pytest --snapshot-update` writes it; review the difference before you commit it"
MAX_STEM_CHARS = 120
MAX_DIFF_LINES = 200


class PromptSnapshot:
    """Compares prompts with the files of one test: `prompt_snapshot(prompt)`, or `assert prompt == prompt_snapshot`."""

    def __init__(self, folder: Path, test: str, replacements: Mapping[str, str], *, update: bool) -> None:
        self.folder, self.test, self.update = folder, test, update
        self.replacements = replacements
        """Paths that differ from run to run, each with the name that is written in its place."""
        self.calls = 0

    def __call__(self, prompt: PromptLike, name: str | None = None) -> None:
        """Fail unless the prompt is as the snapshot has it. A test with several prompts gives each a name."""
        __tracebackhide__ = True
        self.calls += 1
        path = self.folder / f"{self._choose_stem(name)}.md"
        new = self._format(find_prompt(prompt))
        old = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n") if path.is_file() else None
        if old == new:
            return
        if not self.update:
            raise AssertionError("\n".join(explain_difference(path, old, new)))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(path), new.encode("utf-8", "backslashreplace"))

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        self(other)  # type: ignore[arg-type]  # what is no prompt is a TypeError
        return True

    __hash__ = None  # type: ignore[assignment]

    def _choose_stem(self, name: str | None) -> str:
        number = f".{self.calls}" if self.calls > 1 and name is None else ""
        stem = quote(self.test + (f".{name}" if name else number), safe=" []()=,'")
        digest = sha256(stem.encode()).hexdigest()[:12]
        return stem if len(stem) <= MAX_STEM_CHARS else f"{stem[:MAX_STEM_CHARS]}-{digest}"

    def _format(self, prompt: Prompt) -> str:
        text = format_snapshot(prompt)
        for path in sorted(self.replacements, key=len, reverse=True):
            text = text.replace(path, self.replacements[path])
        return text


def format_snapshot(prompt: Prompt) -> str:
    """The sections under headings, each in a fence that its text can't close."""
    blocks = [(block.name, block.text) for block in prompt.blocks]
    blocks += [(f"{block.name} (user message)", block.text) for block in prompt.messages]
    text = f"# Prompt of {prompt.recipe.name}\n"
    for name, block in blocks:
        fence = choose_fence(block)
        text += f"\n## {name}\n\n{fence}text\n{block}\n{fence}\n"
    return text.replace("\r\n", "\n")


def explain_difference(path: Path, old: str | None, new: str) -> Iterator[str]:
    """How a prompt differs from its snapshot, and what to do."""
    if old is None:
        yield f"The prompt has no snapshot yet: {str(path)!r}."
    else:
        lines = list(diff_lines(old, new))
        yield f"The prompt differs from its snapshot {str(path)!r}."
        yield from map(escape_diff_line, lines[:MAX_DIFF_LINES])
        if len(lines) > MAX_DIFF_LINES:
            yield f"… {count_noun(len(lines) - MAX_DIFF_LINES, 'more line')}"
    yield UPDATE_HINT


class SessionFolders(NamedTuple):
    """Where the session of a test looks, and nowhere else."""

    project: Path
    home: Path


class ProjectSession(Session):
    """A session of `house` in a test's own folder. Called, it makes a session of another recipe or other options there.

    Its id, clock, host and platform are fixed; neither the environment nor anything outside the two folders counts.
    """

    def __init__(self, folders: SessionFolders, recipe: Any = None, **options: Any) -> None:
        self.folders = folders
        self.others: list[Session] = []
        world = IsolatedWorld(*map(str, folders))
        state = {"session": SessionInfo("test"), **collect_caller_fields(options.pop("state", None) or {})}
        given = {"cwd": folders.project, "home": folders.home, "root": folders.project, "world": world, **options}
        super().__init__(recipe, state=state, **given)

    def __call__(self, recipe: Any = None, **options: Any) -> "ProjectSession":
        """Another session in the same folder; `options` are those of `overture.Session`."""
        session = ProjectSession(self.folders, recipe, **options)
        self.others.append(session)
        return session

    def close_all(self) -> None:
        """Close it, and those that it made."""
        for session in (self, *self.others):
            session.close()
