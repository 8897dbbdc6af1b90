"""`overture trust`: show what a project asks for and how the prompt would change, and remember that it may."""

import difflib
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import click
from msgspec.structs import replace

from ...assemble.build import build
from ...discovery.allowed import ANY_CONTENT
from ...discovery.configuration.config import TrustRequest, format_setting
from ...discovery.configuration.mcp_servers import read_servers_file
from ...discovery.configuration.trust import (
    SETTINGS,
    TEXTS,
    Approval,
    Approvals,
    FilePurpose,
    change_approvals,
    compute_digest,
    read_approvals,
    trusts_folder,
)
from ...discovery.discover import ResolvedProject
from ...discovery.files import describe_os_error
from ...discovery.paths import contains_path
from ...discovery.place import check_length, locate, locate_home
from ...discovery.reader import MAX_TEXT_BYTES, decode_text
from ...discovery.repository import find_project_folder
from ...discovery.world import Path, World, make_absolute, read_limited
from ...errors import ConfigError
from ...known_agents import AGENTS
from ...model.struct import Frozen, note
from ...project.find_recipe import report_taken_names
from ...project.resolve import resolve
from ...terminal.confirm_changes import style_diff_line
from ...terminal.options import CommandOptions, make_path_printer, refuse_combinations
from ...terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_heading,
    print_table,
    print_wrapped,
    style,
    write_json,
)

MAX_DIFF_LINES = 40
"""So many lines of a difference are shown; the others are counted."""
SETTINGS_FILES = ("/overture.toml", "/pyproject.toml", "/.mcp.json")
"""A project is looked at for one of these: its settings are approved once they were shown."""
HOW_TO_TRUST_ALL = "To trust everything in that folder, list it in your own setting `trusted`."
STATES = {
    "nothing": "Nothing needs approval here.",
    "trusted": "This project is trusted as it is now.",
    "folder": "It is in a folder that your setting `trusted` lists: all its settings apply.",
    "changed": "It changed since it was trusted.",
}


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


class TrustReview(NamedTuple):
    """What a person is shown of a project, and the SHA-256 of each file in it as it was read for that.

    It is not in the report, which may be posted: a short secret could be found by it.
    """

    report: TrustReport
    digests: Mapping[FilePurpose, str]


@click.command("trust")
@click.argument("path", required=False, default=".")
@click.option("--home", metavar="DIR", help="The home directory to read. Default: yours.")
@click.option("--yes", is_flag=True, help="Do not ask: trust the files as they are now.")
@click.option("--read-outside", is_flag=True, help="Also show the text of files outside the project.")
@click.option("--list", "listing", is_flag=True, help="List what is trusted and what changed since.")
@click.option("--remove", is_flag=True, help="Stop trusting PATH and everything below it.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output, without a question.")
def command(
    path: str, home: str | None, yes: bool, read_outside: bool, listing: bool, remove: bool, as_json: bool
) -> int:  # fmt: skip
    """Review the settings and files of a project that need your approval, and trust them.

    PATH is a project's folder. Shows the pending settings of its overture.toml, the files they use, the files
    outside the project that it reads, and how the prompt would change. Trust covers these files as they are now: a
    changed file needs approval again.
    Exit code 1: something is pending and was not trusted.

    \b
    overture trust                       review the project here, and answer
    overture trust --yes                 trust it in a script
    overture trust --list                everything that is trusted
    overture trust --remove              stop trusting this project
    """
    refuse_combinations(
        ("--list", "PATH", "--remove", "--yes", "--read-outside"), ("--remove", "--yes", "--read-outside")
    )
    world = World()
    approvals = read_approvals(world, locate_home(world, home or None))
    if approvals.problem:
        raise ConfigError(f"{approvals.path}: {approvals.problem}.", hint="Fix it, or delete it and trust again.")
    if listing:
        return show_approvals(approvals, as_json)
    if remove:
        return forget_trust(approvals, world.real_or_same(make_absolute(world, path)), home, as_json)
    return ask_for_trust(review_trust(path, home, read_outside=read_outside), home, yes, as_json)


# What a project asks for.


def review_trust(path: str, home: Path | None = None, *, read_outside: bool = False) -> TrustReview:
    """What a project asks for here, and how approving it changes the prompt. No program is run for it, and no code.

    `read_outside` also shows the texts of files outside the project in the difference.
    """
    world = World()
    folder = _find_folder(world, make_absolute(world, path))
    approvals = read_approvals(world, locate_home(world, home))
    off = {"features.git.enabled": False}
    now = resolve(None, locate(cwd=folder, home=home, config=off, world=world))
    trusted, requests = now.config.get("trusted").value, now.config.requests
    asks, pulled = requests.asked if requests else (), requests.files if requests else ()
    recipes = [*now.recipe.notes, *report_taken_names(now.config)]
    recipes += [each for each in now.config.notes if each.message.startswith("[recipes.")]
    asks += tuple(TrustRequest("recipes", None, each.message.partition(". ")[0], each.line) for each in recipes)
    if requests is None or (not asks and requests.trust == "unknown"):
        pulled = ()
    own = dict.fromkeys(pulled[:1], requests.data if requests else b"")
    servers = read_servers_file(world, now.cwd, now.home)
    if servers is not None and servers.servers and not trusts_folder(world, trusted, folder):
        why = "a session would start it or open its URL"
        asks += tuple(TrustRequest(f"mcpServers.{name}", each, why) for name, each in servers.servers.items())
        own[servers.path] = servers.data
    files: dict[FilePurpose, WaitingFile] = {}
    for purpose, each in (*((SETTINGS, each) for each in own), *((TEXTS, each) for each in pulled[1:])):
        real = world.real_or_same(each)
        if digest := compute_digest(world, real, purpose, own.get(each) if purpose == SETTINGS else None):
            status = approvals.status(purpose, real, digest)
            files[purpose, real] = WaitingFile(real, digest, status, purpose == SETTINGS)
    # The project with all that it asks for; what it reaches outside beyond that still waits. It is read after the
    # digests were made: what changes until the answer is noticed then.
    then = resolve(None, locate(cwd=folder, home=home, config={**off, "trusted": (*trusted, folder)}, world=world))
    # Folders outside are looked into, so that each file in them is named.
    then = then._replace(approved=lambda real: ANY_CONTENT if world.is_folder(real) else None)
    outside, digests = _find_outside_files(now, then, approvals)
    statuses = [each.status for each in files.values()] + [each.status for each in outside]
    waits = {*(statuses if read_outside else statuses[: len(files)])} - {"trusted"}
    worst: Any = next((status for status in ("changed", "unknown", "trusted") if status in statuses), "nothing")
    report = TrustReport(
        folder,
        now.config.file or None,
        requests.trust if requests and (requests.trust == "folder" or requests.problem) else worst,
        asks,
        tuple(files.values()),
        tuple(_diff_trusted(now, then, outside, read_outside=read_outside)) if waits else (),
        outside=outside,
        problem=requests.problem if requests and asks else "",
    )
    return TrustReview(report, {key: each.sha256 for key, each in files.items()} | digests)


def _find_folder(world: World, path: str) -> str:
    """The folder of a project that is named by it, or by a file with its settings."""
    hint = "Pass a project's folder."
    try:
        entry = world.look(world.real_or_same(path))
    except OSError as problem:
        check_length(path, problem)
        raise ConfigError(f"{path!r} can't be read: {describe_os_error(problem)}.") from None
    if entry is None:
        raise ConfigError(f"{path!r} does not exist.", hint=hint)
    if entry.kind != "dir" and not path.endswith(SETTINGS_FILES):
        raise ConfigError(f"{path!r} is not a project's folder.", hint=hint)
    return path if entry.kind == "dir" else path.rpartition("/")[0] or "/"


def _find_outside_files(
    now: ResolvedProject, then: ResolvedProject, approvals: Approvals
) -> tuple[tuple[OutsideFile, ...], dict[FilePurpose, str]]:
    """What the recipe and the agents that are used here would load from outside, as if nothing were approved."""
    from ...agents.agent_project import agents_in
    from ...agents.agents_in_use import detect_agents, resolve_for_agent
    from ...agents.survey_project import list_project_folders

    world, project = now.world, find_project_folder(now.world, now.cwd)
    base = agents_in(then)
    used = detect_agents(world, list_project_folders(base), then.home, AGENTS)
    agents = [resolve_for_agent(base, name).find().looked_at for name, signs in used.items() if signs]
    files, digests = dict[str, OutsideFile](), dict[FilePurpose, str]()
    for looks in (then.find().looked_at, *agents):
        for look in looks:
            real = world.real_or_same(look.path)
            is_outside = look.reason.code == "outside"
            if is_outside and real not in files and world.is_file(real):
                digest = compute_digest(world, real, project)
                all_trusted = now.approved is not None and now.approved(real) == ANY_CONTENT
                status = "trusted" if all_trusted else approvals.status(project, real, digest)
                files[real] = OutsideFile(real, look.detail.rpartition("; ")[0], status)
                digests |= {(project, real): digest} if digest else {}
    return tuple(files.values()), digests


def _diff_trusted(
    now: ResolvedProject, then: ResolvedProject, outside: tuple[OutsideFile, ...], *, read_outside: bool
) -> Iterator[str]:
    """How approval changes the prompt, line by line; texts from outside the project only with `read_outside`."""
    world, requests, folder = now.world, now.config.requests, find_project_folder(now.world, now.cwd)
    if read_outside:
        then = then._replace(features=replace(then.features, links_outside=True))
    else:
        then = then._replace(features=replace(then.features, skills_extra_dirs=now.features.skills_extra_dirs))
        if any(not contains_path(folder, world.real_or_same(path)) for path in (requests.files if requests else ())):
            then = then._replace(recipe=now.recipe, settings=now.settings, tools=now.tools)
    old, new = (build(each.recipe, each.find().state) for each in (now, then))
    texts = old.text.splitlines(), new.text.splitlines()
    yield from difflib.unified_diff(*texts, "as it is", "once it is trusted", n=1, lineterm="")
    shown = {world.real_or_same(span.source.path) for span in new.spans if span.source.path}
    for each in outside if read_outside else ():
        if each.status != "trusted" and each.path not in shown:
            yield f"+++ {each.path}"
            try:
                text, _ = decode_text(read_limited(world, each.path, MAX_TEXT_BYTES), each.path)
                yield from (f"+{line}" for line in text.splitlines())
            except OSError as problem:
                yield f"(can't be read: {describe_os_error(problem)})"


def approve(review: TrustReview, home: Path | None = None) -> None:
    """Remember the files as they were shown. One that changed since is an error."""
    world = World()
    for (purpose, path), digest in review.digests.items():
        if compute_digest(world, path, purpose) != digest:
            raise ConfigError(f"{path!r} changed during the review.", hint="Run `overture trust` again.")
    when = world.machine.now().isoformat()
    new = {key: Approval(digest, when) for key, digest in review.digests.items()}
    change_approvals(world, locate_home(world, home), lambda known: {**known, **new})


# What a person sees.


def ask_for_trust(review: TrustReview, home: str | None, yes: bool, as_json: bool) -> int:
    """Shows a project, and remembers it if the user approves."""
    report, _ = review
    waits = {*(each.status for each in report.files), *(each.status for each in report.outside)} - {"trusted"}
    if not as_json:
        show_trust(report)
    asks = not as_json and sys.stdin is not None and sys.stdin.isatty()
    if waits and not report.problem and (yes or (asks and click.confirm("Trust these files as they are?"))):
        approve(review, home)
        report = replace(report, remembered=True)
    number = len(report.files) + len(report.outside)
    if as_json:
        write_json(report)
    elif report.problem:
        print_wrapped(f"Nothing is trusted, because {escape_controls(report.problem)}. {HOW_TO_TRUST_ALL}")
    elif report.remembered:
        state = "as it is now" if number == 1 else "as they are now"
        print_wrapped(f"{count_noun(number, 'file')} trusted {state}. To undo it: overture trust --remove")
    elif waits:
        print_wrapped("Nothing is trusted. To trust it as it is: overture trust --yes")
    return int(bool(waits or report.problem) and not report.remembered)


def show_trust(report: TrustReport) -> None:
    """What a project asks for, for a person."""
    printer = make_path_printer(CommandOptions())
    print_wrapped(style(printer(report.config or report.path), bold=True))
    if report.trust in STATES:
        print_wrapped(style(STATES[report.trust], fg="yellow" if report.trust == "changed" else None))
    if report.asks:
        print_heading("Settings that need approval")
        rows = []
        for each in report.asks:
            setting = each.key if each.value is None else f"{each.key} = {format_setting(each.value)}"
            rows.append((str(each.line or ""), escape_controls(setting), dim(escape_controls(each.why))))
        print_table(rows, heads=("line", "setting", "why"))
    if report.files:
        print_heading("Files, as they are now")
        print_table([(file.status, printer(file.path), dim(file.sha256[:12])) for file in report.files])
    if report.outside:
        print_heading("Files outside the project that it reads")
        print_table([(file.status, printer(file.path), dim(printer.within(file.why))) for file in report.outside])
    if report.diff:
        print_heading("The prompt would change")
        for line in report.diff[:MAX_DIFF_LINES]:
            print_wrapped(style_diff_line(line), "  ")
        if (rest := len(report.diff) - MAX_DIFF_LINES) > 0:
            print_wrapped(dim(f"and {count_noun(rest, 'more line')}: `--json` has them all"), "  ")


def show_approvals(approvals: Approvals, as_json: bool) -> int:
    """All that is trusted, and whether it is still the same."""
    rows = []
    for (purpose, path), each in approvals.known.items():
        digest = compute_digest(World(), path, purpose)
        status = "gone" if digest is None else approvals.status(purpose, path, digest)
        rows.append({"path": path, "sha256": each.sha256, "when": each.when, "status": status})
    if as_json:
        write_json({"file": approvals.path, "files": rows})
    elif not rows:
        print_wrapped("Nothing is trusted.")
    else:
        printer = make_path_printer(CommandOptions())
        shown = [(row["status"], printer(row["path"]), dim(row["when"])) for row in rows]
        print_table(shown, indent="", heads=("now", "file", "since"))
    return 0


def forget_trust(approvals: Approvals, path: str, home: str | None, as_json: bool) -> int:
    """Take back what was trusted at a path and below it, and what a project there may reach outside."""
    world = World()

    def select_others(known: Mapping[FilePurpose, Approval]) -> dict[FilePurpose, Approval]:
        return {key: each for key, each in known.items() if not any(contains_path(path, part) for part in key)}

    remaining = select_others(approvals.known)
    if remaining != approvals.known:
        change_approvals(world, locate_home(world, home or None), select_others)
    removed = sorted({real for _, real in approvals.known} - {real for _, real in remaining})
    if as_json:
        write_json({"removed": removed})
    elif removed:
        print_wrapped(f"{count_noun(len(removed), 'file')} no longer trusted.")
    else:
        print_wrapped(f"Nothing is trusted at {make_path_printer(CommandOptions())(path)}.")
    return int(not removed)
