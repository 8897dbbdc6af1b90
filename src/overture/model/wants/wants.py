"""`wants` says which files a recipe reads, where and in which order. It is data, not code."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from ..struct import Frozen, note
from .instruction_files import FileLimit, FileStep, SettingsFile
from .skills import SkillDirs


class ContextFiles(Frozen, frozen=True):
    """Project files, looked for from the root of the walk down to the working directory."""

    names: Annotated[tuple[str, ...], note("file names, in order; in the last part of one, * stands for any letters")]
    under: Annotated[tuple[str, ...], note("places in each directory; '' is the directory itself")] = ("",)
    take: Annotated[Literal["all", "first"], note("all that are there, or the first per directory")] = "all"
    home: Annotated[tuple[str, ...], note("files under the home directory, before all others")] = ()
    inside: Annotated[bool, note("names with a folder in them count only inside the project")] = False
    nested: Annotated[bool, note("a session delivers those below cwd too, when a tool touches a file there")] = False
    imports: Annotated[bool, note("a file that is nothing but @path stands for the file at that path")] = False
    bounds: Annotated[dict[str, str], note("for names that a project gives itself: the folder they count in")] = {}

    @property
    def placed_names(self) -> tuple[str, ...]:
        """The names that are looked for in each folder, in their places."""
        return tuple(
            dict.fromkeys(f"{folder}/{name}" if folder else name for name in self.names for folder in self.under)
        )


class OverrideFiles(Frozen, frozen=True):
    """SYSTEM.md and APPEND_SYSTEM.md: the project's wins over the one under home, never both."""

    system: str
    append: str
    project: Annotated[str, note("folder under the working directory")]
    home: Annotated[str, note("folder under the home directory")]


class PersonaFiles(Frozen, frozen=True):
    """Who the agent is and whom it works for, one file each; identity and user as YAML frontmatter."""

    folder: Annotated[str, note("folder under the home directory")]
    identity: str = "IDENTITY.md"
    soul: str = "SOUL.md"
    user: str = "USER.md"


class WorkspaceFiles(Frozen, frozen=True):
    """Instructions that lie in the agent's data directory, not in a project."""

    folder: Annotated[str, note("folder under the home directory")]
    names: Annotated[tuple[str, ...], note("file names, in order")]


class AgentJsonFile(Frozen, frozen=True):
    """The agent as JSON, in the working directory: the keys of `agent`, and the `directories` that it may use."""

    name: Annotated[str, note("file name, e.g. agent.json")]


class MemoriesFile(Frozen, frozen=True):
    """A flat JSON list of texts: the nearest one, from the working directory up to the root of the walk."""

    name: Annotated[str, note("file name, e.g. memories.json")]
    within: Annotated[str | None, note("of a name that a project gives itself: the folder it counts in")] = None


class TemplateDirs(Frozen, frozen=True):
    """Folders whose .md files are prompt templates, called as `/name`; the place that wins a collision first."""

    project: Annotated[tuple[str, ...], note("under the working directory")] = ()
    home: Annotated[tuple[str, ...], note("under the home directory")] = ()


class Wants(Frozen, frozen=True):
    """All that a recipe wants read."""

    walk: Annotated[
        Literal["repository", "root"],
        note(
            "how far up is looked: to the top of the repository, or to the filesystem's root, as without a repository"
        ),
    ] = "repository"
    context: ContextFiles | None = None
    files: Annotated[tuple[FileStep, ...], note("further files, step by step")] = ()
    limits: Annotated[tuple[FileLimit, ...], note("the most that is taken of those")] = ()
    settings_files: Annotated[tuple[SettingsFile, ...], note("the agent's own configuration")] = ()
    moves: Annotated[
        dict[str, str],
        note(
            "a setting -> the environment variable that moves it: `CODEX_HOME`, `XDG_CONFIG_HOME/x`; of several with a "
            "space between them the first that is set"
        ),
    ] = {}
    environment: Annotated[
        dict[str, str],
        note(
            "a variable -> what it sets, as in settings_files; before that `json`: its value counts only as JSON, or "
            "`folders`: it names folders, with commas between them, seen from cwd"
        ),
    ] = {}
    skills: SkillDirs | None = None
    overrides: OverrideFiles | None = None
    persona: PersonaFiles | None = None
    workspace: WorkspaceFiles | None = None
    runtime: Annotated[bool, note("facts about the machine: its name, system, shell and sudo")] = False
    agent: AgentJsonFile | None = None
    memories: MemoriesFile | None = None
    templates: Annotated[TemplateDirs | None, note("read by a session")] = None
    git: Annotated[bool, note("what git says of the project, where `features.git.enabled` is true")] = False


FIELDS_BY_WANT = {
    # A file that is both is said once, so that each of the two depends on the other.
    "context": ("context_files", "workspace_files"),
    "files": ("context_files",),
    "workspace": ("context_files", "workspace_files"),
    "skills": ("skills",),
    "overrides": ("overrides",),
    "agent": ("agent", "runtime.directories"),
    "persona": ("agent", "user", "runtime.timezone"),
    "memories": ("memories",),
    "git": ("git",),
    "runtime": ("runtime.host", "runtime.os", "runtime.arch", "runtime.shell"),
}
"""For each kind of file, for git and for the machine, the paths of State that it fills."""


def fill_settings(wants: Wants, settings: Mapping[str, str]) -> Wants:
    """`wants` with its `{setting}`s filled in."""
    text = msgspec.json.encode(wants).decode()
    for name, value in settings.items():
        text = text.replace("{" + name + "}", msgspec.json.encode(value).decode()[1:-1])
    return msgspec.json.decode(text, type=Wants)
