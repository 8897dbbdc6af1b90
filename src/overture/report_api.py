"""What there is to know about a prompt, as data: explain, stats, why, check; and what other agents read."""

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, NamedTuple, TypedDict, Unpack

from .agents.agent_project import open_agents
from .agents.table import Table, ask, make_table, open_agents_in
from .api import size_prompt
from .assemble.build import build
from .check.engine import CheckResult, RuleSelection, check_agents, find_named_agents, run_rules, select_rules
from .check.findings import Severity
from .check.input import make_prompt_input, read_recipe_input
from .discovery.configuration.config import Config, load_config
from .discovery.discover import ResolvedProject
from .discovery.place import locate
from .discovery.world import Path, World, make_absolute
from .errors import ConfigError, explain_unknown
from .known_agents import AGENTS
from .model.prompt.budget import Budget, BudgetLimit
from .model.prompt.prompt import Prompt
from .model.recipe.recipe import Recipe
from .model.state.discovery import Discovery
from .project.explain_path import explain_path
from .project.resolve import resolve
from .report.explain import Explanation
from .report.explain import explain as explained
from .report.stats_and_cut_notes import Stats
from .report.stats_and_cut_notes import stats as measured
from .report.why import PathStatus
from .report.why import why as became
from .session.current_files import get_session_files
from .session.session import Session, get_parts
from .session.turn_and_context import Turn
from .tokens.counter import CountFunction, as_counter
from .tokens.load_tokenizer import find_counter

Subject = str | PathLike[str] | Recipe | Prompt | Turn | Session | None
"""What a report is about: a recipe, by its name, its path or itself; a prompt or a turn; a session; None: the recipe
that the configuration names."""


class BuildKeywords(TypedDict, total=False):
    """Where a recipe is looked up and what it finds there, as `build` takes it."""

    cwd: Path | None
    home: Path | None
    root: Path | None
    config: Mapping[str, Any] | None
    subagent: bool
    budget: BudgetLimit | Budget | None
    count: CountFunction | None


class ReportInput(NamedTuple):
    """A prompt, and what is known of its origin."""

    prompt: Prompt
    found: Discovery | None
    world: World
    project: ResolvedProject | None = None
    """Its project, if that is known: any path there has an answer."""


def explain(what: Subject = None, *, found: Discovery | None = None, **where: Unpack[BuildKeywords]) -> Explanation:
    """Explain where every part of a prompt came from, and why other files and sections are missing.

    `what` is a recipe, a prompt, a turn or a session. Default: the recipe of the configuration. For a recipe, `cwd`,
    `home`, `root`, `subagent`, `budget` and `count` are as for `build`, and `config` as for `discover`. For a prompt,
    `found` is the discovery that it was built from.

    ```python
    import overture

    for block in overture.explain("opal", cwd=".").blocks:
        print(block.name, block.tokens, [str(share.source) for share in block.shares])
    ```
    """
    subject = _find_subject(what, found, where)
    return explained(subject.prompt, subject.found)


def stats(what: Subject = None, **where: Unpack[BuildKeywords]) -> Stats:
    """Count the tokens of a prompt by section, pace and source. `what` and the keywords are as for `explain`."""
    return measured(_find_subject(what, None, where).prompt)


def why(
    path: Path, what: Subject = None, *, found: Discovery | None = None, **where: Unpack[BuildKeywords]
) -> tuple[PathStatus, ...]:  # fmt: skip
    """Explain whether a file is loaded, and why: `why("CLAUDE.md", "pi")[0].said`.

    `path` is relative to `cwd`, or the name of a skill. A bare name may match several files: one result for each.
    `what` and the keywords are as for `explain`; for a prompt, `found` is required.
    """
    subject = _find_subject(what, found, where)
    if subject.found is None:
        raise ConfigError("A prompt has no list of the searched files.", hint="Also pass found=overture.discover(…).")
    name = fspath(path)
    if subject.project is not None:
        return explain_path(subject.project, subject.prompt, subject.found, name)
    full = name if name.startswith("/") else f"{make_absolute(subject.world, '.')}/{name}"
    return became(name, make_absolute(subject.world, full), subject.prompt, subject.found)


def agents(
    *names: str,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    touching: Iterable[Path] = (),
    everyone: bool = False,
    count: CountFunction | None = None,
    read_outside: bool = False,
) -> Table:
    """The table of what coding agents do with each file here: `agents("codex", cwd=".").at("codex")`.

    Without names: the agents in use here, or all known agents with `everyone`.

    - `touching`: files that the agents work on; what they load on demand for them is included.
    - `count`: counts tokens. Default: the best installed tokenizer.
    - `read_outside`: also read files outside the project that its settings, symlinks or imports point to.
    """
    base = open_agents_in(cwd, home, root, read_outside=read_outside, touching=tuple(touching))
    return make_table(ask(base, names, everyone=everyone, counter=None if count is None else as_counter(count)))


def check(
    what: Subject = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, Severity] | None = None,
    comments: bool = True,
    found: Discovery | None = None,
    **where: Unpack[BuildKeywords],
) -> CheckResult:
    """Find problems in the files of agents, or of a prompt, as `overture check` does: `check(cwd=".").findings`.

    `what` is an agent, or what `explain` takes. Default: the agents in use, or the recipe of the configuration.

    `select` and `ignore` are codes, or the beginning of codes: `ignore=["skill"]`. `severity` changes the severity of
    codes: `{"secret": "warning"}`. All three override the configuration. `comments=False` also returns findings that
    comments in files ignore. The other keywords are as for `explain`. For a prompt, no files are read.
    """
    selection = RuleSelection(tuple(select), tuple(ignore), severity or {}, (), comments)
    if what is None or isinstance(what, str):
        location = locate(where.get("cwd"), where.get("home"), where.get("root"), where.get("config"))
        config = load_config(location)
        names = find_named_agents((what,) if what else (), config)
        if names is not None:
            return check_agents(open_agents(location, AGENTS[0], config), names, selection)[1]
    subject = _find_subject(what, found, where)
    project, prompt = subject.project, subject.prompt
    choice = select_rules(project.config if project else Config({}), prompt.recipe.name, selection)
    if project is None or subject.found is None:
        return run_rules(make_prompt_input(prompt), choice)
    return run_rules(read_recipe_input(project, prompt, subject.found), choice)


def _find_subject(what: Subject, discovery: Discovery | None, where: BuildKeywords) -> ReportInput:
    """The prompt of the subject; keywords for a recipe alone are refused for any other."""
    for key in where:
        if key not in BuildKeywords.__annotations__:
            raise ConfigError(explain_unknown("Keyword", key, BuildKeywords.__annotations__))
    if not isinstance(what, Prompt | Turn | Session):
        return _build_report_input(what, where)
    if where:
        raise ConfigError(f"{next(iter(where))} is only for a recipe, and this is a {type(what).__name__}.")
    if isinstance(what, Session):
        return _make_session_input(what, discovery)
    return ReportInput(what if isinstance(what, Prompt) else what.prompt, discovery, World())


def _build_report_input(recipe: str | PathLike[str] | Recipe | None, where: BuildKeywords) -> ReportInput:
    budget, count = where.get("budget"), where.get("count")
    location = locate(where.get("cwd"), where.get("home"), where.get("root"), where.get("config"))
    project = resolve(recipe, location, subagent=where.get("subagent", False))
    discovery = project.find()
    prompt = build(project.recipe, discovery.state, found=discovery.diagnostics, counting=find_counter)
    return ReportInput(size_prompt(prompt, budget, count), discovery, project.world, project)


def _make_session_input(session: Session, discovery: Discovery | None) -> ReportInput:
    prompt, parts = session.prompt, get_parts(session)
    files = get_session_files(parts)
    if files is None:
        return ReportInput(prompt, discovery, parts.setup.settings.world)
    looked = (*files.discovery.looked_at, *files.extra.looked_at)
    both = Discovery(files.discovery.state, files.discovery.diagnostics, looked)
    return ReportInput(prompt, discovery or both, files.project.world, files.project)
