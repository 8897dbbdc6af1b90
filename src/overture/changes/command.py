"""`overture lock` records what agents read, and shows what changed since."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from ..agents.table import Table, ask, list_starts, make_table, open_agents_in
from ..discovery.tree_files import read_working_tree
from ..discovery.world import TOP, World
from ..errors import ConfigError, OvertureError
from ..known_agents import AGENTS
from ..model.prompt.prompt import Prompt
from ..providers.render import sent_tools
from ..providers.write.tools import tools_text
from ..terminal.gather_state import gather_silently
from ..terminal.options import AS_JSON, CommandOptions
from ..terminal.output import count_noun, escape_controls, print_error, print_wrapped, write_json
from ..text.path_printer import make_root_printer
from ..text.words import join_words
from ..tokens.counter import format_tokens
from ..tokens.load_tokenizer import find_counter
from .lockfile import (
    LOCK_NAME,
    BrokenLockError,
    Lock,
    LockChange,
    LockedAgent,
    LockedBlock,
    LockedFile,
    LockedRecipe,
    compare_locks,
    hash_bytes,
    read_lock,
    write_lock,
)
from .name_revisions import find_git_repository
from .revisions import WORKING_TREE, RevisionInfo, find_own_recipe, list_submodule_notes, make_shared_world
from .tables import FileUse, name_change

CLOCK = "2000-01-01T00:00:00+00:00"


class LockResult(NamedTuple):
    """The lock of a project as it is now."""

    lock: Lock
    notes: tuple[str, ...]
    partly: tuple[str, ...]
    """What was not looked at."""


def make_lock(root: str, cwd: str = ".", subjects: Sequence[str] = ()) -> LockResult:
    """Lock these agents and recipes, or the recipe of overture.toml, or else the agents in use."""
    tree = read_working_tree(root)
    world = make_shared_world(tree)
    folder = os.path.normpath(os.path.join(TOP, cwd))
    if not world.is_folder(folder):
        raise ConfigError(
            f"The folder {cwd!r} of the lock does not exist.", hint="Pass another: overture lock --cwd DIR"
        )
    own = None if subjects else find_own_recipe(world, folder)
    names = [*subjects] or ([own] if own else [])
    recipes = [name for name in names if name not in AGENTS]
    counter = find_counter()
    agents: dict[str, LockedAgent] = {}
    files: dict[str, LockedFile] = {}
    partly: tuple[str, ...] = ()
    if len(recipes) < len(names) or not names:
        asked = ask(
            open_agents_in(folder, world=world), [n for n in names if n in AGENTS], counter=counter, shared=True
        )
        table = make_table(asked, list_starts(asked.files, folder))
        agents, files = _lock_agents(table), _lock_files(table, world)
        partly = tuple(map(str, table.notes))
    locked = {name: _lock_recipe(name, folder, world) for name in recipes}
    lock = Lock(
        cwd=cwd, subjects=(*subjects,), tokenizer=counter.name, agents=agents, files=files, recipes=locked
    )  # fmt: skip
    notes = (f"note: {note}" for note in list_submodule_notes(RevisionInfo(WORKING_TREE), world))
    return LockResult(lock, tuple(notes), partly)


def _name_recipe(recipe: str, root: str) -> str:
    """A recipe in a file is called by its path from the root."""
    return os.path.relpath(os.path.realpath(recipe), root) if recipe.endswith(".toml") else recipe


def _lock_agents(table: Table) -> dict[str, LockedAgent]:
    return {
        agent.name: {
            table.shorten(start): {
                table.shorten(use.path): FileUse(use.how, tokens=use.tokens, last_line=use.last_line, times=use.times)
                for use in table.at(agent.name, start)
                if use.is_delivered and not use.personal
            }
            for start in table.starts
        }
        for agent in table.agents
    }


def _lock_files(table: Table, world: World) -> dict[str, LockedFile]:
    """The digests of all files that agents get. A name that is not UTF-8 is known by its readable part alone."""
    files: dict[str, LockedFile] = {}
    for use in table.uses:
        path = table.shorten(use.path)
        if use.is_delivered and not use.personal and path not in files:
            try:
                files[path] = LockedFile(hash_bytes(world.read(use.path)))
            except OSError:
                files[path] = LockedFile("")
    return files


def _lock_recipe(name: str, folder: str, world: World) -> LockedRecipe:
    """The prompt of a recipe on a machine that is the same for everybody."""
    recipe = f"{TOP}/{name}" if name.endswith(".toml") else name
    prompt = gather_silently(CommandOptions(recipe=recipe, cwd=folder, now=CLOCK, world=world)).build()
    counted = prompt.counted(find_counter())
    blocks = {
        block.name: LockedBlock(_hash_text(block.text), tokens) for block, tokens in counted.counted_blocks
    }  # of the system prompt, and of the user's message
    return LockedRecipe(_make_fingerprint(counted), blocks)


def _hash_text(text: str) -> str:
    return hash_bytes(text.encode("utf-8", "surrogatepass"))


def _make_fingerprint(prompt: Prompt) -> str:
    """Of all that is sent: the sections in their order, and the tools."""
    texts = (prompt.text, *(block.text for block in prompt.messages), tools_text(sent_tools(prompt)))
    return f"sha256:{_hash_text(chr(0).join(texts))}"


@click.command("lock")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--check", "checking", is_flag=True, help="Write nothing; exit 1 if anything differs from the lock.")
@click.option("--cwd", metavar="DIR", help="The folder in which agents start. Default: the project's root.")
@AS_JSON
def command(names: tuple[str, ...], checking: bool, cwd: str | None, as_json: bool) -> int:
    """Record what agents read in overture.lock, so that every change is visible.

    For each agent in use, and each folder in which it may start, the lock has the files that it gets, with digests
    and tokens, but no text. Only what git tracks or would add counts, so two checkouts have the same lock.
    NAME is an agent or a recipe; without one, those that are locked stay, else the recipe of overture.toml or the
    agents in use are locked.

    \b
    overture lock                        lock what the agents in use get
    overture lock codex opal             lock an agent and a recipe
    overture lock --check                for CI: exit 1 if anything changed
    """
    if checking and names:
        raise ConfigError("--check compares all that is locked, and takes no names.", hint="Omit them.")
    here = os.path.realpath(cwd or ".")
    if not os.path.isdir(here):
        raise ConfigError(f"The folder {cwd!r} does not exist.", hint="Pass another with --cwd.")
    root = find_git_repository(here).root
    known = _read_known(root, checking)
    if checking and known is None:
        raise ConfigError("No `overture.lock` here.", hint="`overture lock` writes it.")
    folder = os.path.relpath(here, root) if cwd else known.cwd if known else "."
    subjects = [_name_recipe(name, root) for name in names] or [*(known.subjects if known else ())]
    if checking and known is not None:
        folder, subjects = known.cwd, [*known.subjects]
    try:
        made = make_lock(root, folder, subjects)
    except OvertureError as problem:  # of a project that is not where it is
        raise ConfigError(make_root_printer(TOP).relative_within(str(problem))) from None
    for note in (*made.notes, *made.partly):
        print_error(note)
    changes = compare_locks(known, made.lock) if known else ()
    if checking:
        show_check(made.lock, changes, as_json)
        return 2 if made.partly else int(bool(changes))
    is_written = write_lock(root, made.lock)
    if as_json:
        write_json({"lock": LOCK_NAME, "same": not changes, "written": is_written, "changes": changes})
    else:
        show_written(made.lock, changes, is_written)
    return 2 if made.partly else 0


def _read_known(root: str, checking: bool) -> Lock | None:
    """The lock that is there. A broken one is written again, of what is in use."""
    try:
        return read_lock(root)
    except BrokenLockError:
        if checking:
            raise
        return None


def show_check(lock: Lock, changes: Sequence[LockChange], as_json: bool) -> None:
    """What is not as it was locked."""
    if as_json:
        write_json({"lock": LOCK_NAME, "same": not changes, "changes": changes})
        return
    for line in describe_changes(changes, exact=lock.tokenizer != "estimate"):
        print_wrapped(escape_controls(line))
    if not changes:
        print_wrapped(escape_controls(f"As locked: {_name_subjects(lock)}."))
    else:
        print_error(f"error: {count_noun(len(changes), 'change')} since `{LOCK_NAME}` was written")
        print_error(f"hint: If that is intended, run `overture lock` and commit `{LOCK_NAME}`")


def show_written(lock: Lock, changes: Sequence[LockChange], is_written: bool) -> None:
    for line in describe_changes(changes, exact=lock.tokenizer != "estimate"):
        print_wrapped(escape_controls(line))
    what = f"Wrote {LOCK_NAME}" if is_written else f"{LOCK_NAME} is unchanged"
    print_wrapped(escape_controls(f"{what}: {_name_subjects(lock)}, {count_noun(len(lock.files), 'file')}"))


def _name_subjects(lock: Lock) -> str:
    return join_words([*lock.agents, *lock.recipes]) or "no agent"


def describe_changes(changes: Sequence[LockChange], *, exact: bool) -> Iterator[str]:
    """A line for each: `claude-code, codex: AGENTS.md changed (119 → 124 tokens)`."""
    for each in changes:
        who = ", ".join(each.subjects)
        if not each.path:
            state = {"added": "in use now", "removed": "no longer in use"}.get(each.change, "in another order")
            yield f"{who}: {state}"
            continue
        tokens = [format_tokens(side.tokens if side else 0, exact=exact) for side in (each.before, each.after)]
        count = f" ({' → '.join(tokens)} tokens)" if tokens[0] != tokens[1] else ""
        word, why = name_change(each)
        yield f"{who}: {each.path} {word}{count}{f': {why}' if why else ''}"
