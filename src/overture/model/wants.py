"""`wants` sets which files a recipe reads, where and in which order. It is data, not code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from .struct import Frozen, note


class ContextFiles(Frozen, frozen=True):
    """Instruction files of a project, from the top folder down to the working directory."""

    names: Annotated[
        tuple[str, ...], note("file names, in order; `*` in the last part of a path matches any characters")
    ]
    under: Annotated[tuple[str, ...], note("subfolders of each folder to search; `''` is the folder itself")] = ("",)
    take: Annotated[Literal["all", "first"], note("load all that exist, or the first per folder")] = "all"
    home: Annotated[tuple[str, ...], note("files under the home directory, before all others")] = ()
    inside: Annotated[bool, note("names that contain a folder apply only inside the project")] = False
    nested: Annotated[bool, note("a session also loads files below cwd, when a tool works on a file there")] = False
    imports: Annotated[bool, note("a file that contains only `@path` is replaced by the file at that path")] = False
    bounds: Annotated[dict[str, str], note("for names that a project sets: the folder where they apply")] = {}

    @property
    def placed_names(self) -> tuple[str, ...]:
        """The names that are looked for in each folder, in their places."""
        return tuple(
            dict.fromkeys(f"{folder}/{name}" if folder else name for name in self.names for folder in self.under)
        )


class SkillDirs(Frozen, frozen=True):
    """Folders of skills. Of two skills with the same name, the first folder wins."""

    project: Annotated[tuple[str, ...], note("under the working directory")] = ()
    home: Annotated[tuple[str, ...], note("under the home directory")] = ()
    ancestors: Annotated[bool, note("also search the folders above the working directory")] = False
    depth: Annotated[int, note("how many levels deep a skill may be in such a folder")] = 1
    invalid: Annotated[
        Literal["keep", "skip"], note("a skill that breaks a rule of the format is loaded with a warning, or skipped")
    ] = "keep"


class OverrideFiles(Frozen, frozen=True):
    """SYSTEM.md and APPEND_SYSTEM.md. The project's file hides the one under home."""

    system: Annotated[str, note("file name, e.g. SYSTEM.md")]
    append: Annotated[str, note("file name, e.g. APPEND_SYSTEM.md")]
    project: Annotated[str, note("folder under the working directory")]
    home: Annotated[str, note("folder under the home directory")]


class PersonaFiles(Frozen, frozen=True):
    """IDENTITY.md, SOUL.md and USER.md. The first and the last are YAML frontmatter."""

    folder: Annotated[str, note("folder under the home directory")]


class WorkspaceFiles(Frozen, frozen=True):
    """Instruction files in the agent's data directory, not in a project."""

    folder: Annotated[str, note("folder under the home directory")]
    names: Annotated[tuple[str, ...], note("file names, in order")]


class AgentJsonFile(Frozen, frozen=True):
    """The agent as JSON in the working directory: the keys of `agent`, and its `directories`."""

    name: Annotated[str, note("file name, e.g. agent.json")]


class MemoriesFile(Frozen, frozen=True):
    """A JSON list of texts: the nearest such file, from the working directory up to the top folder."""

    name: Annotated[str, note("file name, e.g. memories.json")]
    within: Annotated[str | None, note("for a name that a project sets: the folder where it applies")] = None


class TemplateDirs(Frozen, frozen=True):
    """Folders of prompt templates: .md files, called as `/name`. Of two with one name, the first folder wins."""

    project: Annotated[tuple[str, ...], note("under the working directory")] = ()
    home: Annotated[tuple[str, ...], note("under the home directory")] = ()


class Wants(Frozen, frozen=True, dict=True):
    """The files that a recipe reads."""

    walk: Annotated[
        Literal["repository", "root"],
        note(
            "how far up to search: to the top of the repository, or to the file system's root; without a repository, "
            "always to the root"
        ),
    ] = "repository"
    context: Annotated[ContextFiles | None, note("instruction files such as AGENTS.md")] = None
    skills: Annotated[SkillDirs | None, note("folders of skills")] = None
    overrides: Annotated[OverrideFiles | None, note("SYSTEM.md and APPEND_SYSTEM.md")] = None
    persona: Annotated[PersonaFiles | None, note("files about the agent and its user")] = None
    workspace: Annotated[WorkspaceFiles | None, note("instruction files of the agent itself")] = None
    runtime: Annotated[bool, note("facts about the machine: its name, system and shell")] = False
    sudo: Annotated[bool, note("with `runtime`: whether sudo works without a password; commands do not ask it")] = False
    agent: Annotated[AgentJsonFile | None, note("the agent as JSON")] = None
    memories: Annotated[MemoriesFile | None, note("the file with memories")] = None
    templates: Annotated[TemplateDirs | None, note("prompt templates, loaded by a session")] = None
    git: Annotated[bool, note("branch, status and commits, if `features.git.enabled` is true")] = False


FIELDS_BY_WANT = {
    # A file that is both is loaded once, so that each of the two depends on the other.
    "context": ("context_files", "workspace_files"),
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


SETTING_IN_BRACES = re.compile(r'\{([^{}"]+)\}')


def fill_settings(wants: Wants, settings: Mapping[str, str]) -> Wants:
    """The `Wants` of a recipe with their `{setting}`s filled in; a value that has braces itself stays as it is."""
    # A variable may hold bytes that are not UTF-8: no folder of a recipe is called so.
    readable = {name: value.encode("utf-8", "replace").decode() for name, value in settings.items()}
    escaped = {name: msgspec.json.encode(value).decode()[1:-1] for name, value in readable.items()}
    plain = msgspec.json.encode(wants).decode()
    text = SETTING_IN_BRACES.sub(lambda match: escaped.get(match[1], match[0]), plain)
    return wants if text == plain else msgspec.json.decode(text, type=Wants)
