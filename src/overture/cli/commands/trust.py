"""`overture trust`: show what a project asks for and how the prompt would change, and remember that it may."""

import difflib
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

import click
from msgspec.structs import replace

from ...assemble.build import build
from ...discovery.configuration import trust
from ...discovery.configuration.keys import FilePurpose, TrustRequest, find_key, format_setting
from ...discovery.discover import ResolvedProject
from ...discovery.files import describe_os_error
from ...discovery.place import find_project_folder, locate
from ...discovery.reader import ANY_CONTENT, MAX_TEXT_BYTES, decode_text
from ...discovery.world import Path, World, make_absolute, read_limited
from ...errors import ConfigError
from ...known_agents import AGENTS
from ...model.state.reasons import explain_cause
from ...model.struct import Frozen, note
from ...project.find_recipe import report_taken_names
from ...project.resolve import resolve
from ...session.configured_servers import read_servers_file
from ...terminal.confirm_changes import style_diff_line
from ...terminal.options import CommandOptions, make_path_printer, refuse_combinations
from ...terminal.output import count_noun, dim, escape_controls, print_heading, print_table, print_wrapped, write_json

MAX_DIFF_LINES = 40
"""So many lines of a difference are shown; the others are counted."""
STATES = {
    "nothing": "Nothing needs approval here.",
    "trusted": "This project is trusted as it is now.",
    "folder": "It is in a folder that your setting `trusted` lists: all its settings apply.",
    "changed": "It changed since it was trusted.",
}
UNSEEN = "(it may show text from outside the project: pass --read-outside to see it)"
"""In place of a difference."""


class TrustFile(Frozen, frozen=True):
    """A file that is approved by path and content."""

    path: Annotated[str, note("its real path")]
    status: Literal["unknown", "changed", "trusted", "gone"]
    sha256: Annotated[str | None, note("not of a file outside the project: it would tell a short secret")] = None
    settings: Annotated[bool | None, note("whether it is the project's own file, whose settings are approved")] = None
    when: Annotated[str | None, note("when it was approved, with --list")] = None
    why: Annotated[str | None, note("of a file outside: its size, and the rule that would load it")] = None


class TrustReport(Frozen, frozen=True, omit_defaults=False):
    """The trust of a project, in `overture trust --json`."""

    path: str
    config: Annotated[str | None, note("the project's own file")]
    trust: Annotated[
        Literal["nothing", "unknown", "changed", "trusted", "folder"],
        note("nothing: nothing needs approval · folder: the setting `trusted` lists it"),
    ]
    asks: tuple[TrustRequest, ...]
    files: tuple[TrustFile, ...] = ()
    outside: Annotated[tuple[TrustFile, ...], note("outside the project, for the recipe and the agents here")] = ()
    diff: Annotated[tuple[str, ...], note("how the prompt changes, line by line")] = ()
    problem: Annotated[str, note("why the files can't be approved")] = ""
    remembered: Annotated[bool, note("whether this call has approved the files")] = False


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
    others = ("--remove", "--yes", "--read-outside")
    refuse_combinations(("--list", "PATH", *others), others)
    world, user_home = World(), make_absolute(World(), home or World().machine.home())
    known = trust.read_approvals(world, user_home)
    if listing:
        now = trust.compare_files(world, known, dict.fromkeys(known))
        status: dict[FilePurpose, Any] = {file: now[file][1] if file in now else "gone" for file in known}
        rows = [TrustFile(file[1], status[file], each.sha256, when=each.when) for file, each in known.items()]
        if as_json:
            write_json({"file": trust.approvals_path(world, user_home), "files": rows})
        elif rows:
            show_files("Trusted files", rows)
        else:
            print_wrapped("Nothing is trusted.")
        return 0
    if remove:
        top = world.real_or_same(make_absolute(world, path))
        removed = trust.change_approvals(world, user_home, {}, top) if known else []
        nothing = f"Nothing is trusted at {make_path_printer(CommandOptions())(top)}."
        if as_json:
            write_json({"removed": removed})
        else:
            print_wrapped(f"{count_noun(len(removed), 'file')} no longer trusted." if removed else nothing)
        return int(not removed)
    report, digests = review_trust(path, home or None, read_outside=read_outside)
    waits, number = any(each.status != "trusted" for each in (*report.files, *report.outside)), len(digests)
    if not as_json:
        show_trust(report)
    asks = not as_json and sys.stdin is not None and sys.stdin.isatty()
    answer = "Nothing is trusted. To trust it as it is: overture trust --yes" if waits else ""
    if report.problem:
        answer = f"Nothing is trusted, because {escape_controls(report.problem)}. To trust everything in that folder, "
        answer += "list it in your own setting `trusted`."
    elif waits and (yes or (asks and click.confirm("Trust these files as they are?"))):
        trust.change_approvals(world, user_home, digests)
        report = replace(report, remembered=True)
        answer = f"{count_noun(number, 'file')} trusted {'as it is' if number == 1 else 'as they are'} now."
        answer += " To undo it: overture trust --remove"
    if as_json:
        write_json(report)
    elif answer:
        print_wrapped(answer)
    return int((waits or bool(report.problem)) and not report.remembered)


# What a project asks for.


def review_trust(
    path: str, home: Path | None = None, *, read_outside: bool = False
) -> tuple[TrustReport, dict[FilePurpose, str]]:
    """What a project asks for here, and how approving it changes the prompt; and each file's SHA-256 as shown.

    No program is run for it, and no code. `read_outside` also shows the texts of files outside the project.
    """
    world = World()
    folder = make_absolute(world, path)
    if not world.is_folder(folder):
        what = "is not a project's folder" if world.exists(folder) else "does not exist, or can't be read"
        raise ConfigError(f"{path!r:.300} {what}.", hint="Pass a project's folder.")
    off = {"features.git.enabled": False}
    now = resolve(None, locate(cwd=folder, home=home, config=off, world=world))
    config, requests = now.config, now.config.requests
    asks, known = requests.asked if requests else (), trust.read_approvals(world, now.home)
    if trust.trusts_folder(world, config.get("trusted").value, config.folder or folder):
        return TrustReport(folder, config.file or None, "folder", asks), {}
    limits = (*now.recipe.notes, *report_taken_names(config))
    asks += tuple(TrustRequest("recipes", None, each.message.partition(". ")[0], each.line) for each in limits)
    files = dict(requests.files) if requests and (asks or requests.trust != "unknown") else {}
    if (servers := read_servers_file(world, now.cwd, now.home)) and servers.servers:
        why = "a session would start it or open its URL"
        asks += tuple(TrustRequest(f"mcpServers.{name}", each, why) for name, each in servers.servers.items())
        files[trust.SETTINGS, world.real_or_same(servers.path)] = servers.data
    found = trust.compare_files(world, known, files)
    # The project with all that it asks for. It is read after the digests were made: what changes until the answer is
    # noticed then. What it reaches outside beyond that still waits.
    trusting = {**off, "trusted": (*config.get("trusted").value, folder)}
    then = resolve(None, locate(cwd=folder, home=home, config=trusting, world=world))
    project, reasons = find_project_folder(world, now.cwd), _find_outside_files(then)
    reached = trust.compare_files(world, known, {(project, real): None for real in reasons})
    rows = [TrustFile(real, status, digest, kind == trust.SETTINGS) for (kind, real), (digest, status) in found.items()]
    outside = [TrustFile(real, status, why=reasons[real]) for (_, real), (_, status) in reached.items()]
    statuses = {each.status for each in (*rows, *outside)}
    worst: Any = next((status for status in ("changed", "unknown", "trusted") if status in statuses), "nothing")
    reaches = any(each.key.startswith("recipes") or ((key := find_key(each.key)) and key.paths) for each in asks)
    diff: tuple[str, ...] = (UNSEEN,)
    if read_outside or worst == "trusted" or not reaches:
        diff = tuple(_diff_trusted(now, then, outside if read_outside else None))
    problem = requests.problem if requests and asks else ""
    worst = requests.trust if requests and problem else worst
    report = TrustReport(folder, config.file or None, worst, asks, tuple(rows), tuple(outside), diff, problem)
    return report, {file: digest for file, (digest, _) in (found | reached).items()}


def _find_outside_files(then: ResolvedProject) -> dict[str, str]:
    """What the recipe and the agents that are used here would load from outside, each with the rule."""
    from ...agents.agent_project import agents_in
    from ...agents.in_use import find_signs

    world, reasons = then.world, dict[str, str]()
    # As if nothing were approved; folders are looked into, so that each file in them is named.
    then = then._replace(approved=lambda real: ANY_CONTENT if world.is_folder(real) else None)
    base = agents_in(then)
    used = [name for name in AGENTS if find_signs(world, name, base.walk, then.home)]
    agents = [base._replace(name=name).find().looked_at for name in used]
    for look in chain(then.find().looked_at, *agents):
        if look.reason.code == "outside":
            reasons.setdefault(world.real_or_same(look.path), explain_cause(look.reason))
    return reasons


def _diff_trusted(now: ResolvedProject, then: ResolvedProject, outside: list[TrustFile] | None) -> Iterator[str]:
    """How approval changes the prompt, line by line; and the texts of files `outside` that are not in it."""
    then = then._replace(approved=now.approved, features=replace(then.features, links_outside=outside is not None))
    old, new = (build(each.recipe, each.find().state) for each in (now, then))
    texts = old.text.splitlines(), new.text.splitlines()
    yield from difflib.unified_diff(*texts, "as it is", "once it is trusted", n=1, lineterm="")
    shown = {now.world.real_or_same(span.source.path) for span in new.spans if span.source.path}
    for path in (each.path for each in outside or () if each.status != "trusted" and each.path not in shown):
        yield f"+++ {path}"
        try:
            text, _ = decode_text(read_limited(now.world, path, MAX_TEXT_BYTES), path)
            yield from (f"+{line}" for line in text.splitlines())
        except OSError as problem:
            yield f"(can't be read: {describe_os_error(problem)})"


# What a person sees.


def show_trust(report: TrustReport) -> None:
    """What a project asks for, for a person."""
    print_wrapped(make_path_printer(CommandOptions())(report.config or report.path))
    if report.trust in STATES:
        print_wrapped(STATES[report.trust])
    if report.asks:
        print_heading("Settings that need approval")
        rows = []
        for each in report.asks:
            setting = escape_controls(format_setting(each.key, each.value))
            rows.append((str(each.line or ""), setting, dim(escape_controls(each.why))))
        print_table(rows, heads=("line", "setting", "why"))
    show_files("Files, as they are now", report.files)
    show_files("Files outside the project that it reads", report.outside)
    if report.diff:
        print_heading("The prompt would change")
        for line in report.diff[:MAX_DIFF_LINES]:
            print_wrapped(style_diff_line(line), "  ")
        if (rest := len(report.diff) - MAX_DIFF_LINES) > 0:
            print_wrapped(dim(f"and {count_noun(rest, 'more line')}: `--json` has them all"), "  ")


def show_files(heading: str, files: Sequence[TrustFile]) -> None:
    """A table of files, if there are any."""
    printer = make_path_printer(CommandOptions())
    if files:
        print_heading(heading)
        more = (printer.within(each.why or each.when or (each.sha256 or "")[:12]) for each in files)
        print_table([(each.status, printer(each.path), dim(text)) for each, text in zip(files, more, strict=True)])
