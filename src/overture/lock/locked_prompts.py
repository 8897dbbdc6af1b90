"""Builds the prompts that everybody gets, and records their sections and files as hashes."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from ..discovery.configuration.config import Config
from ..discovery.paths import contains_path
from ..discovery.world import TOP, Machine, World
from ..errors import ConfigError, OvertureError
from ..known_agents import AGENTS
from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from ..project.find_recipe import DEFAULT_RECIPE, list_recipe_names
from ..providers.render import sent_tools
from ..providers.write.tools import tools_text
from ..recipes import BUILTIN
from ..terminal.gather_state import GatheredState, gather_silently, is_saved_file, report_extensions
from ..terminal.options import CommandOptions, load_settings
from ..tokens.load_tokenizer import find_counter
from .lock_file import FileExtent, LockedFile, LockedPrompt, LockedSection
from .project_world import CLOCK, LockLocation, ProjectFiles, find_ignored_files, hash_files

SETTINGS_KINDS = ("settings", "config")
"""These files are locked with the sections that they change: a comment in them changes no prompt."""
TRUNCATION_CODES = ("file-cut", "menu-cut")
"""Diagnostics about a file that is truncated."""


class BuiltPrompt(NamedTuple):
    """A prompt with all that it was made of."""

    prompt: Prompt
    looks: tuple[Look, ...]
    tools: str
    """The tools as they are sent."""


class FileUse(NamedTuple):
    """What a prompt contains of one file."""

    tokens: int = 0
    sections: tuple[str, ...] = ()
    text: str = ""


def list_read_paths(read: BuiltPrompt) -> list[str]:
    """The files that a prompt is made of."""
    loaded = [look.path for look in read.looks if look.outcome == "loaded" and look.what not in SETTINGS_KINDS]
    return sorted({*loaded, *count_file_uses(read.prompt)})


def lock_sections(read: BuiltPrompt, digests: Mapping[str, str]) -> Iterator[LockedSection]:
    """All that is sent: tools, sections of the system prompt, sections of the user's message."""
    prompt = read.prompt
    if read.tools:
        yield LockedSection("tools", "tools", prompt.counter(read.tools), hash_text(read.tools))
    for block, tokens in prompt.counted_blocks:
        yield LockedSection(block.name, block.section.place, *_find_own_words(prompt, block, tokens, digests))


def _find_own_words(prompt: Prompt, block: Block, tokens: int, digests: Mapping[str, str]) -> tuple[int, str]:
    """Tokens and digest of a section's text besides files that have a row; each of them leaves a mark."""
    own, marked, before = 0, "", None
    for span, count in prompt.count_spans(block, tokens):
        source = prompt.resolved(span.source)
        path = source.path if source.kind == "file" and source.path in digests else None
        if path is None:
            own, marked = own + count, marked + block.text[span.start : span.end]
        elif path != before:
            marked += f"\0{path}\0"
        before = path
    return own, hash_text(marked)


def lock_files(read: BuiltPrompt, digests: Mapping[str, str]) -> Iterator[LockedFile]:
    """The files with a digest, sorted by their paths; other users do not have the rest."""
    uses, cut = count_file_uses(read.prompt), list_truncated_paths(read.prompt)
    kinds = {look.path: look.what for look in reversed(read.looks) if look.outcome == "loaded"}
    skills = {skill.location: skill.name for skill in read.prompt.state.skills}
    for path in sorted(digests):
        tokens, sections, text = uses.get(path, FileUse())
        extent: FileExtent = "cut" if path in cut else "whole" if tokens else "nothing"
        name, kind = path.removeprefix(f"{TOP}/"), kinds.get(path, "context")
        yield LockedFile(name, kind, extent, tokens, digests[path], hash_text(text), skills.get(path), sections)


def count_file_uses(prompt: Prompt) -> dict[str, FileUse]:
    """What the prompt contains of each file."""
    uses: dict[str, FileUse] = {}
    for block, tokens in prompt.counted_blocks:
        for span, count in prompt.count_spans(block, tokens):
            source = prompt.resolved(span.source)
            if source.kind == "file" and source.path:
                had, text = uses.get(source.path, FileUse()), block.text[span.start : span.end]
                sections = had.sections if block.name in had.sections else (*had.sections, block.name)
                uses[source.path] = FileUse(had.tokens + count, sections, had.text + text)
    return uses


def list_truncated_paths(prompt: Prompt) -> set[str]:
    """The paths of files that a prompt to lock contains in part."""
    cut = {path for each in prompt.cuts if each.source and (path := prompt.resolved(each.source).path) is not None}
    return cut | {note.path for note in prompt.diagnostics if note.code in TRUNCATION_CODES and note.path}


def hash_text(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def list_read_settings(looks: Sequence[Look], config: Iterable[str]) -> tuple[str, ...]:
    """The settings that apply, by their paths from the project's top."""
    paths = (look.path for look in looks if look.outcome == "loaded" and look.what in SETTINGS_KINDS)
    below = [path.removeprefix(f"{TOP}/") for path in (*config, *paths) if path.startswith(f"{TOP}/")]
    return tuple(dict.fromkeys(below))


PromptKey = tuple[str, str]
"""A recipe, and the folder in which the agent works, from the project's root."""
SHARED_RECIPES = frozenset((*BUILTIN, *AGENTS))
"""Recipes that everybody has."""


class LockResult(NamedTuple):
    """The lock of a prompt, and what explains a change of it."""

    prompt: LockedPrompt
    why: Callable[[str], str]
    """Explains why a file is not read."""
    settings: tuple[str, ...]


class PromptLocker(NamedTuple):
    """A project, the project as everybody has it, and the options of the command line."""

    place: LockLocation
    files: ProjectFiles
    options: CommandOptions

    def make_options(self, key: PromptKey, tokenizer: str | None = None) -> CommandOptions:
        """The options for the project as everybody has it."""
        recipe, cwd = key
        return self.options._replace(
            recipe=f"{TOP}/{recipe}" if recipe.endswith(".toml") else recipe,
            cwd=TOP if cwd == "." else f"{TOP}/{cwd}",
            home=None,
            root=None,
            now=self.options.now or CLOCK,
            tokenizer=tokenizer or self.options.tokenizer,
            world=World(self.files, Machine()),
        )

    def make_local_options(self, key: PromptKey) -> CommandOptions:
        """The options for the project as it is here, for the current user."""
        recipe, cwd = key
        top = self.place.top
        name = os.path.join(top, recipe) if recipe.endswith(".toml") else recipe
        return self.options._replace(recipe=name, cwd=os.path.normpath(os.path.join(top, cwd)))

    def key(self, name: str) -> PromptKey:
        """The key of the prompt that a name means here; a recipe that others do not have is an error."""
        if name.endswith(".toml"):
            path = os.path.realpath(name)
            if not contains_path(self.place.top, path):
                raise ConfigError(
                    f"The recipe {name!r} is outside the project {self.place.top!r}: others do not have it."
                )
            return os.path.relpath(path, self.place.top), self.place.folder
        if name in SHARED_RECIPES:
            return name, self.place.folder
        if is_saved_file(self.options._replace(recipe=name)):
            raise ConfigError(f"{name!r} is a saved file, not a recipe.", hint="Pass the recipe's name.")
        is_shared = name in list_recipe_names(self._load_shared_settings())
        if not is_shared and name in list_recipe_names(load_settings(self.options)):
            raise ConfigError(
                f"Recipe {name!r} is in your own settings: others do not have it.", hint="Add it to overture.toml."
            )
        return name, self.place.folder

    def find_default_key(self) -> PromptKey:
        """The prompt that the project's settings name, else the default."""
        recipe = self._load_shared_settings().get("recipe").value or DEFAULT_RECIPE
        return str(recipe).removeprefix(f"{TOP}/"), self.place.folder

    def _load_shared_settings(self) -> Config:
        """The settings of the folder that everybody has."""
        return load_settings(self.make_options((DEFAULT_RECIPE, self.place.folder)))

    def explain_absence(self, key: PromptKey) -> str | None:
        """Why such a prompt is no longer possible; None if it is."""
        recipe, cwd = key
        if not os.path.isdir(os.path.join(self.place.top, cwd)):
            return f"the folder {cwd} was removed"
        if recipe.endswith(".toml"):
            return None if self.files.look(f"{TOP}/{recipe}") else "its file was removed"
        if recipe in SHARED_RECIPES or recipe in list_recipe_names(load_settings(self.make_options(key))):
            return None
        return "the recipe no longer exists"

    def make(self, key: PromptKey, tokenizer: str | None = None) -> LockResult:
        """Build a prompt from what everybody has, and record its sections and files."""
        options = self.make_options(key, tokenizer)
        gathered = self._gather_without_ignored(options)
        if not options.no_discover:
            with suppress(OvertureError):  # settings of the user's own: the lock does not have them
                report_extensions(load_settings(self.make_local_options(key)), gathered.recipe)
        prompt = gathered.build().counted(find_counter(options.tokenizer))
        looks = gathered.found.looked_at
        read = BuiltPrompt(prompt, looks, tools_text(sent_tools(prompt)))
        digests = hash_files(self.files, list_read_paths(read))
        sections, files = tuple(lock_sections(read, digests)), tuple(lock_files(read, digests))
        locked = LockedPrompt(*key, prompt.counter.name, list_given_options(self.options), sections, files)
        config = (gathered.project.config.file,) if gathered.project else ()
        return LockResult(locked, partial(self._explain_unread_file, looks), list_read_settings(looks, config))

    def _gather_without_ignored(self, options: CommandOptions) -> GatheredState:
        """The discovery without files that git ignores: one search finds them, and a second hides them."""
        while True:
            gathered = gather_silently(options)
            paths = [look.path for look in gathered.found.looked_at if look.outcome != "absent"]
            config = [gathered.project.config.file] if gathered.project else []
            ignored = find_ignored_files(self.files, [path for path in (*paths, *config) if path])
            if self.files.hidden.issuperset(ignored):
                return gathered
            recipe = options.recipe or ""
            if recipe.endswith(".toml") and self.files.on_disk(recipe) in ignored:
                text = f"{recipe.removeprefix(f'{TOP}/')} is ignored by git: nobody else has this recipe."
                raise ConfigError(text, hint="Take it out of `.gitignore`, or lock another recipe.")
            self.files.hide(ignored)

    def _explain_unread_file(self, looks: tuple[Look, ...], path: str) -> str:
        here = f"{TOP}/{path}"
        if self.files.on_disk(here) in self.files.hidden:
            return "git ignores it"
        if self.files.look(here) is None:
            return "the file was removed"
        look = next((look for look in looks if look.path == here and look.outcome != "loaded"), None)
        if look is None:
            return "it is no longer looked for"
        joint = " " if look.reason.code == "hidden" and look.reason.path else ": "
        reason = f"{look.outcome}{joint}{look.detail}" if look.detail else look.outcome
        return reason.replace(f"{TOP}/", "")


def list_given_options(opts: CommandOptions) -> tuple[str, ...]:
    """The names of the options that change the prompt."""
    by_name = {
        "--state": opts.state_file, "--no-discover": opts.no_discover, "--subagent": opts.subagent, "--set": opts.sets,
        "--tools": opts.tools_file, "--now": opts.now, "--config": opts.config, "--audience": opts.audience,
        "--no-redact": opts.no_redact, "--budget": opts.budgets, "--window": opts.window,
    }  # fmt: skip
    return tuple(sorted(name for name, value in by_name.items() if value))
