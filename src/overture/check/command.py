"""`overture check` runs the rules, shows the findings, and fixes what has a safe fix."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import click

from ..agents.agent_project import open_agents
from ..discovery.configuration.config import Config, load_config
from ..errors import ConfigError
from ..known_agents import AGENTS
from ..terminal.error_lines import QUOTED, quote_field
from ..terminal.gather_state import gather_state
from ..terminal.options import (
    AS_JSON,
    DISCOVERY_OPTIONS,
    CommandOptions,
    F,
    at_one_moment,
    check_home,
    make_path_printer,
    refuse_combinations,
    require_option,
)
from ..terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_error,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
    write,
    write_json,
)
from ..terminal.progress_line import report_step
from ..terminal.table_layout import measure_width
from ..text.normalize import normalize_newlines
from ..text.path_printer import PathPrinter
from ..text.secrets.find_and_hide import hide_secrets
from ..version import __version__
from .engine import (
    RULES,
    CheckResult,
    RuleSelection,
    check_agents,
    find_named_agents,
    read_rule_page,
    run_rules,
    select_rules,
)
from .findings import SEVERITIES, Finding
from .fix import fix_findings
from .input import CheckInput, make_prompt_input, read_recipe_input

VERDICTS = ("agents-disagree", "loaded-twice", "never-arrives", "truncated")
SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}

MAX_SHOWN_PER_CODE = 8
"""Findings of one code that are shown without `--all`; errors are all shown."""


def show_findings(
    checked: CheckResult, printer: PathPrinter, texts: dict[str, str], pages: int, *, everything: bool
) -> None:
    """Every finding with its place and the line itself, and how many there are. Of what comes again, the first ones.

    `texts` are the files that were looked at.
    """
    findings, hidden = (checked.findings, {}) if everything else _take_first(checked.findings)
    alike: dict[tuple[str, str, str | None], list[Finding]] = {}
    for finding in findings:
        alike.setdefault((finding.code, finding.message, finding.path), []).append(finding)
    for group in alike.values():
        _show_finding(group, printer, checked.subject, texts.get(group[0].path or "", ""))
        print_line()
    for code, number in hidden.items():
        print_wrapped(f"{number} more of {code} (`--all`)")
    print_wrapped(_format_summary(checked, pages))
    if checked.findings:
        code = min(checked.findings, key=lambda each: SEVERITIES.index(each.severity)).code
        print_wrapped(dim(f"hint: `overture check --explain {code}` explains it and how to fix it"))


def _take_first(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """The first findings of each code, and how many more there are of it."""
    counts: Counter[str] = Counter()
    shown: list[Finding] = []
    for finding in findings:
        counts[finding.code] += finding.severity != "error"
        if finding.severity == "error" or counts[finding.code] <= MAX_SHOWN_PER_CODE:
            shown.append(finding)
    return shown, {code: number - MAX_SHOWN_PER_CODE for code, number in counts.items() if number > MAX_SHOWN_PER_CODE}


def _show_finding(alike: list[Finding], printer: PathPrinter, subject: str, text: str) -> None:
    first, *others = alike
    severity = style(f"{first.severity}[{first.code}]", fg=SEVERITY_COLOURS[first.severity])
    fix_mark = dim(" [--fix]") if first.fixable else ""
    said = quote_field(first.message)
    message = printer.within(said if first.code in VERDICTS else said[:1].upper() + said[1:])  # those begin with a name
    print_wrapped(f"{severity}: {message}{fix_mark}")
    also = f" (and {', '.join(map(_format_position, others))})" if others else ""
    place = ":".join(filter(None, (printer(first.path), _format_position(first)))) if first.path else subject
    print_wrapped(f"--> {place}{also}", " ")
    lines = normalize_newlines(text).split("\n")
    if first.line and first.line <= len(lines) and (source := escape_controls(lines[first.line - 1])).strip():
        margin = " " * len(str(first.line))
        width = terminal_width()
        shown, skipped = _cut_excerpt(source, first.column or 1, width - len(margin) - 3 if width else None)
        print_line(f"{margin} |")
        print_line(f"{first.line} | {shown}")
        before = source[: first.column]
        if first.column and source == lines[first.line - 1] and hide_secrets(before) == before:
            start = first.column - 1 - skipped
            marked = shown[start : start + _find_length(first.message, source[first.column - 1 :])]
            print_line(f"{margin} | {' ' * measure_width(shown[:start])}{'^' * max(1, measure_width(marked))}")


def _find_length(message: str, rest: str) -> int:
    """How many characters of the rest of a line a message is about: what it quotes of it, else the first."""
    quoted = (each[0][1:-1] for each in QUOTED.finditer(message))
    return max((len(each) for each in quoted if rest.startswith(each)), default=1)


def _cut_excerpt(source: str, column: int, room: int | None) -> tuple[str, int]:
    """As much of a line as the terminal has room for, with the column in it; and how many characters come before."""
    if room is None or measure_width(source) <= room:
        return source, 0
    start = max(0, column - 1 - room // 3)
    shown = f"…{source[start + 1 :]}" if start else source
    while measure_width(shown) >= room:
        shown = shown[: min(len(shown) - 1, room)]
    return f"{shown}…" if start + len(shown) < len(source) else shown, start


def _format_position(finding: Finding) -> str:
    return ":".join(str(number) for number in (finding.line, finding.column) if number)


def _format_summary(checked: CheckResult, pages: int) -> str:
    """The last line of `overture check`: how many problems there are, and how many `--fix` fixes."""
    ignored = f"; {count_noun(len(checked.ignored), 'finding')} ignored" if checked.ignored else ""
    if not checked.findings:
        if not pages:
            return f"No files to check{ignored}."
        return f"{style('No problems found', fg='green')} in {count_noun(pages, 'file')}{ignored}."
    parts = [
        style(count_noun(number, severity), fg=SEVERITY_COLOURS[severity])
        for severity in SEVERITIES
        if (number := checked.count(severity))
    ]
    fixable = sum(finding.fixable for finding in checked.findings)
    files = len({finding.path for finding in checked.findings if finding.path})
    where = f" in {count_noun(files, 'file')}" if files else f" in {checked.subject}"
    fixes = f"; `--fix` fixes {fixable}" if fixable else ""
    return f"Found {count_noun(len(checked.findings), 'problem')}{where} ({', '.join(parts)}){fixes}{ignored}."


def show_rules(code: str, as_json: bool) -> None:
    """The page of a check; without a code, every check with what it finds."""
    rules = RULES.values()
    data = {each.code: {"code": each.code, "severity": each.severity, "finds": each.title} for each in rules}
    page = read_rule_page(code) if code else ""
    if as_json:
        write_json({**data[code], "page": page} if code else list(data.values()))
    elif code:
        write(page)
    else:
        rows = [(style(each.code, bold=True), each.severity, each.title) for each in rules]
        print_table(rows, indent="", heads=("code", "severity", "finds"))


def _add_options(function: F) -> F:
    """Where to look, and for a recipe, what its state holds."""
    for option in reversed(DISCOVERY_OPTIONS):
        function = option(function)
    return click.argument("subjects", nargs=-1, metavar="[SUBJECT]…")(function)


@click.command("check")
@_add_options
@click.option(
    "--select", multiple=True, metavar="CODE", help="Run only these checks: codes, or the beginning of codes."
)
@click.option("--ignore", multiple=True, metavar="CODE", help="Skip these checks.")
@click.option("--no-ignore", is_flag=True, help="Also report findings that comments or check.exclude ignore.")
@click.option("--fix", is_flag=True, help="Apply safe fixes: print a diff, ask, then write.")
@click.option("--yes", is_flag=True, help="With --fix: write without asking.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "github", "sarif")), default="text", show_default=True,
    help="The output format: github for annotations, sarif for code scanning.",
)  # fmt: skip
@AS_JSON
@click.option("--all", "everything", is_flag=True, help="Show all findings; the default is eight of each check.")
@click.option("--strict", is_flag=True, help="Exit with 1 on any finding, not only on errors.")
@click.option(
    "--explain", metavar="CODE", is_flag=False, flag_value="",
    help="Explain a check and how to fix it; without a code, list all checks.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="List all checks.")
def command(
    subjects: tuple[str, ...], select: tuple[str, ...], ignore: tuple[str, ...], no_ignore: bool, fix: bool, yes: bool,
    form: str, as_json: bool, everything: bool, strict: bool, explain: str | None, listing: bool, **options: Any,
) -> int:  # fmt: skip
    """Find problems in the files that agents load: files that never arrive, broken links, hidden text, secrets.

    SUBJECT is an agent, such as codex, or a recipe. The default is the agents in use here, or the recipe of
    overture.toml. What only you have, such as files under home, changes nothing.

    Exits with 1 on an error; with --strict, on any finding; with 2 if something could not be looked at. To ignore a
    finding on one line, write <!-- overture: ignore CODE: reason --> above it. To ignore it in a project, use [check]
    in overture.toml.

    \b
    overture check                       find problems here
    overture check codex                 those of one agent
    overture check --explain CODE        explain a check and how to fix it
    overture check --fix                 apply safe fixes
    overture check --format github       annotations on a pull request
    """
    runs = ("--select", "--ignore", "--no-ignore", "--fix", "--yes", "--all")
    refuse_combinations(
        ("--list", "--explain", "--strict", *runs),
        ("--explain", "--strict", *runs),
        *((("--json", "--format"),) if form != "json" else ()),
    )
    require_option("--fix", "--yes")
    form = "json" if as_json else form
    if listing or explain is not None:
        show_rules(explain or "", form == "json")
        return 0
    selection = RuleSelection(_split_codes(select), _split_codes(ignore), comments=not no_ignore)
    place = at_one_moment(CommandOptions(**options))
    inputs, checked = check_subjects(subjects, place, selection)
    if fix and fix_findings(inputs, checked, yes, quiet=form != "text"):
        inputs, checked = check_subjects(subjects, at_one_moment(CommandOptions(**options)), selection)
    printer = make_path_printer(place)
    print_findings(inputs, checked, form, everything, printer)
    for each in checked.unchecked:
        print_error(f"error: {escape_controls(printer.within(each.message))}")
    return 2 if checked.unchecked else int(bool(checked.findings) if strict else not checked.ok)


def check_subjects(
    subjects: tuple[str, ...], options: CommandOptions, selection: RuleSelection
) -> tuple[CheckInput, CheckResult]:
    """Checks the files of agents; of a recipe, or of a state that is given, its prompt."""
    check_home(options)
    given = options.state_file or options.no_discover or options.sets or options.tools_file
    location = options.locate()
    config = load_config(location)
    names = None if given else find_named_agents(subjects, config)
    if names is not None:
        report_step("reading the files of each agent")
        return check_agents(open_agents(location, AGENTS[0], config), names, selection, "--")
    if subjects[1:]:
        raise ConfigError(f"{subjects[1]!r}: only one recipe can be checked at a time.", hint="Omit the others.")
    gathered = gather_state(options._replace(recipe=subjects[0] if subjects else None))
    prompt, project = gathered.build(), gathered.project
    report_step("checking")
    inputs = read_recipe_input(project, prompt, gathered.found) if project else make_prompt_input(prompt)
    checks = project.config if project else Config({})
    return inputs, run_rules(inputs, select_rules(checks, prompt.recipe.name, selection, "--"))


def _split_codes(texts: tuple[str, ...]) -> tuple[str, ...]:
    """`--select a,b --select c` as three words."""
    return tuple(word for text in texts for word in (part.strip() for part in text.split(",")) if word)


def print_findings(inputs: CheckInput, checked: CheckResult, form: str, everything: bool, printer: PathPrinter) -> None:
    """Prints the findings in the format of `--format`."""
    if form == "json":
        write_json(checked.to_dict())
    elif form == "sarif":
        from .formats import make_sarif

        write_json(make_sarif(checked, __version__))
    elif form == "github":
        from .formats import format_annotations

        if lines := format_annotations(checked):
            write("\n".join(escape_controls(line) for line in lines))
    else:
        texts = {page.path: page.text for page in (*inputs.pages, *inputs.settings)}
        show_findings(checked, printer, texts, len(texts), everything=everything)
