"""Reports what a project asks for, which files need approval, and what approving them changes."""

import difflib
from os import PathLike
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from ..assemble.build import build
from ..discover.allowed import ANY_CONTENT
from ..discover.configuration.approvals import (
    SETTINGS,
    TEXTS,
    Approvals,
    approve_files,
    change_approvals,
    compute_approved_digest,
    read_approvals,
)
from ..discover.configuration.config import ConfigTrustRequest
from ..discover.configuration.mcp_servers import read_servers_file
from ..discover.configuration.trusted_settings import trusts_folder
from ..discover.discover import ResolvedProject
from ..discover.files import describe_os_error
from ..discover.paths import contains_path
from ..discover.place import check_length, locate, locate_home
from ..discover.reader import MAX_TEXT_BYTES, decode_text
from ..discover.repository import find_project_folder
from ..discover.world import World, make_absolute, read_limited
from ..errors import ConfigError
from ..known_agents import AGENTS
from ..model.struct import Frozen, note
from ..project.find_recipe import report_taken_names
from ..project.resolve import resolve

Path = str | PathLike[str]
OFF = {"features.git.enabled": False}
"""Looking at what would change runs no program either."""
SETTINGS_FILES = ("/overture.toml", "/pyproject.toml", "/.mcp.json")
"""A project is looked at for one of these: its settings are approved once they were shown."""
HINT = "Pass a project's folder."
STARTS = "a session would start it or open its URL"


class TrustRequest(Frozen, frozen=True, omit_defaults=False):
    """One setting in a project's own file that needs approval."""

    key: str
    value: Any
    why: Annotated[str, note("why")]
    line: int | None = None


class WaitingFile(Frozen, frozen=True, omit_defaults=False):
    """A file that is approved by path and content."""

    path: Annotated[str, note("its real path")]
    sha256: str
    status: Literal["unknown", "changed", "trusted"]
    settings: Annotated[bool, note("whether it is the project's own file, whose settings are approved")] = False


class OutsideFile(Frozen, frozen=True, omit_defaults=False):
    """A file outside the project that an agent would load here. Its content is not shown."""

    path: Annotated[str, note("its real path")]
    why: Annotated[str, note("its size, and the rule that would load it")]
    status: Literal["unknown", "changed", "trusted"]


class TrustReport(Frozen, frozen=True, omit_defaults=False):
    """The trust of a project, in `overture trust --json`."""

    path: str
    config: Annotated[str | None, note("the project's own file")]
    trust: Annotated[
        Literal["nothing", "unknown", "changed", "trusted", "folder"],
        note("nothing: nothing needs approval · folder: the setting `trusted` lists it"),
    ]
    asks: tuple[TrustRequest, ...]
    files: tuple[WaitingFile, ...]
    diff: Annotated[tuple[str, ...], note("how the prompt changes, line by line")]
    remembered: Annotated[bool, note("whether this call has approved the files")] = False
    outside: Annotated[
        tuple[OutsideFile, ...], note("files outside the project, for the recipe and the agents here")
    ] = ()
    problem: Annotated[str, note("why the files can't be approved")] = ""


def report_trust(path: str, home: Path | None = None, *, read_outside: bool = False) -> TrustReport:
    """What a project asks for here. Nothing is approved.

    `read_outside` also shows the texts of files outside the project in the difference.
    """
    world = World()
    full = make_absolute(world, path)
    real = world.real_or_same(full)
    try:
        entry = world.look(real)
    except OSError as problem:
        check_length(full, problem)
        raise ConfigError(f"{full!r} can't be read: {describe_os_error(problem)}.") from None
    if entry is None:
        raise ConfigError(f"{full!r} does not exist.", hint=HINT)
    approvals = read_approvals(world, locate_home(world, home))
    if entry.kind != "dir" and not full.endswith(SETTINGS_FILES):
        raise ConfigError(f"{full!r} is not a project's folder.", hint=HINT)
    folder = full if entry.kind == "dir" else full.rpartition("/")[0] or "/"
    return _make_trust_report(world, folder, home, approvals, read_outside)


def _make_trust_report(
    world: World, folder: str, home: Path | None, approvals: Approvals, read_outside: bool
) -> TrustReport:
    """What a project asks for, and which of its files need approval."""
    now = resolve(None, locate(cwd=folder, home=home, config=OFF, world=world))
    trusted = now.config.get("trusted").value
    # The project with all that it asks for; what it reaches outside beyond that still waits.
    config = {**OFF, "trusted": (*trusted, folder)}
    then = resolve(None, locate(cwd=folder, home=home, config=config, world=world))
    # Folders outside are looked into, so that each file in them is named.
    then = then._replace(approved=lambda real: ANY_CONTENT if world.is_folder(real) else None)
    request = now.config.request
    asks = _list_requests(now, request)
    own, pulled = tuple[str, ...](), tuple[str, ...]()
    if request is not None and (asks or request.trust in ("trusted", "changed")):
        own, pulled = request.files[:1], request.files[1:]
    servers = read_servers_file(world, now.cwd, now.home)
    if servers is not None and servers.servers and not trusts_folder(world, trusted, folder):
        asks = (*asks, *(TrustRequest(f"mcpServers.{name}", each, STARTS) for name, each in servers.servers.items()))
        own = (*own, servers.path)
    files = _find_waiting_files(world, approvals, own, settings=True)
    files += _find_waiting_files(world, approvals, pulled)
    outside = _find_outside_files(now, then, approvals)
    statuses = {*(file.status for file in files), *(file.status for file in outside if read_outside)}
    return TrustReport(
        folder,
        request.origin if request else now.config.file or None,
        _combine_trust_status(request, (*files, *outside)),
        asks,
        files,
        _diff_trusted(now, then, read_outside, outside) if statuses - {"trusted"} else (),
        outside=outside,
        problem=request.problem if request is not None and asks else "",
    )


def _list_requests(project: ResolvedProject, request: ConfigTrustRequest | None) -> tuple[TrustRequest, ...]:
    """What the settings and recipes of a project ask for."""
    settings = tuple(TrustRequest(w.key, w.value, w.why, w.line) for w in request.requested) if request else ()
    recipes = [*project.recipe.notes, *report_taken_names(project.config)]
    recipes += [each for each in project.config.notes if each.message.startswith("[recipes.")]
    return (*settings, *(TrustRequest("recipes", None, each.message.partition(". ")[0], each.line) for each in recipes))


def _find_waiting_files(
    world: World, approvals: Approvals, paths: tuple[str, ...], *, settings: bool = False
) -> tuple[WaitingFile, ...]:
    """The files that need approval, each with its approval status."""
    files: dict[str, WaitingFile] = {}
    for path in paths:
        digest, real = compute_approved_digest(world, path, settings=settings), world.real_or_same(path)
        if digest is not None:
            status = approvals.status(SETTINGS if settings else TEXTS, real, digest)
            files[real] = WaitingFile(real, digest, status, settings)
    return tuple(files.values())


def _find_outside_files(now: ResolvedProject, then: ResolvedProject, approvals: Approvals) -> tuple[OutsideFile, ...]:
    """What the recipe and the agents that are used here would load from outside, named as if nothing were approved."""
    from ..agents.agent_project import agents_in
    from ..agents.agents_in_use import detect_agents, resolve_for_agent
    from ..agents.survey_project import list_project_folders

    base = agents_in(then)
    used = detect_agents(then.world, list_project_folders(base), then.home, AGENTS)
    agents = [resolve_for_agent(base, name).find().looked_at for name, signs in used.items() if signs]
    project = find_project_folder(now.world, now.cwd)
    files: dict[str, OutsideFile] = {}
    for look in (look for looks in (then.find().looked_at, *agents) for look in looks):
        real = now.world.real_or_same(look.path)
        entry = now.world.find(real)
        if look.outcome == "outside" and look.detail.startswith("outside ") and entry and entry.kind == "file":
            status = approvals.status(project, real, compute_approved_digest(now.world, real))
            if now.approved is not None and now.approved(real) == ANY_CONTENT:
                status = "trusted"
            files.setdefault(real, OutsideFile(real, look.detail.rpartition("; ")[0], status))
    return tuple(files.values())


def _combine_trust_status(request: ConfigTrustRequest | None, files: tuple[WaitingFile | OutsideFile, ...]) -> Any:
    """The status of all that a project asks for, the worst first."""
    if request is not None and (request.trust == "folder" or request.problem):
        return request.trust
    statuses = {file.status for file in files}
    return next((status for status in ("changed", "unknown", "trusted") if status in statuses), "nothing")


def _diff_trusted(
    now: ResolvedProject, then: ResolvedProject, read_outside: bool, outside: tuple[OutsideFile, ...]
) -> tuple[str, ...]:
    """How approval changes the prompt, line by line. No program is run for it, and no code.

    With `read_outside`, the texts of files outside that no prompt of this recipe holds follow.
    """
    if read_outside:
        then = then._replace(features=replace(then.features, links_outside=True))
    else:  # files outside are named, and not shown here either
        then = then._replace(features=replace(then.features, skills_extra_dirs=now.features.skills_extra_dirs))
        if _pulls_from_outside(now):
            then = then._replace(recipe=now.recipe, settings=now.settings, tools=now.tools)
    old, new = (build(each.recipe, each.find().state) for each in (now, then))
    texts = old.text.splitlines(), new.text.splitlines()
    lines = list(difflib.unified_diff(*texts, "as it is", "once it is trusted", n=1, lineterm=""))
    paths = {now.world.real_or_same(span.source.path) for span in new.spans if span.source.path}
    for each in outside if read_outside else ():
        if each.status != "trusted" and each.path not in paths:
            lines += [f"+++ {each.path}", *_format_added_lines(now.world, each.path)]
    return tuple(lines)


def _pulls_from_outside(project: ResolvedProject) -> bool:
    """Whether a recipe, a text of it or a tools file that the project's settings name is outside the project."""
    request, folder = project.config.request, find_project_folder(project.world, project.cwd)
    files = request.files if request is not None else ()
    return any(not contains_path(folder, project.world.real_or_same(path)) for path in files)


def _format_added_lines(world: World, path: str) -> list[str]:
    """The lines of a file outside that approving adds."""
    try:
        return [f"+{line}" for line in decode_text(read_limited(world, path, MAX_TEXT_BYTES), path)[0].splitlines()]
    except OSError as problem:
        return [f"(can't be read: {describe_os_error(problem)})"]


def approve(report: TrustReport, home: Path | None = None) -> None:
    """Remember the files of a report. One that changed since the report is an error."""
    world = World()
    when = world.machine.now().isoformat()
    settings, texts = (
        approve_files(world, [file.path for file in report.files if file.settings == own], when, settings=own)
        for own in (True, False)
    )
    for file in report.files:
        new = (settings if file.settings else texts).get(file.path)
        if new is None or new.sha256 != file.sha256:
            raise ConfigError(f"{file.path!r} changed during the review.", hint="Run `overture trust` again.")
    outside = approve_files(world, [file.path for file in report.outside], when)
    more = {SETTINGS: settings, TEXTS: texts, find_project_folder(world, report.path): outside}
    change_approvals(world, locate_home(world, home), lambda now: now.including({k: v for k, v in more.items() if v}))
