"""`overture check` runs the rules, shows the findings, and fixes what has a safe fix."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import click

from ..discovery.configuration.config import Config
from ..errors import ConfigError
from ..terminal.error_lines import QUOTED, quote_field
from ..terminal.gather_state import GatheredState, gather_state
from ..terminal.options import (
    AS_JSON,
    RECIPE_HELP,
    CommandOptions,
    add_build_options,
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
from .collect_facts import collect_check_input
from .findings_and_input import CheckInput, Finding, make_saved_input
from .fix_findings import fix_findings
from .rules_by_code import all_rules, read_rule_page
from .run_rules import SEVERITIES, CheckResult, RuleSelection, name_prompt, run_rules, select_rules

SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
SEVERITY_NAMES = {"error": "error", "warning": "warning", "info": "note"}


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
        _show_finding(group, printer, checked.recipe, texts.get(group[0].path or "", ""))
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


def _show_finding(alike: list[Finding], printer: PathPrinter, recipe: str, text: str) -> None:
    first, *others = alike
    severity = style(f"{SEVERITY_NAMES[first.severity]}[{first.code}]", fg=SEVERITY_COLOURS[first.severity])
    fix_mark = dim(" [--fix]") if first.fixable else ""
    message = printer.within(_capitalize(quote_field(first.message)))
    print_wrapped(f"{severity}: {message}{fix_mark}")
    also = f" (and {', '.join(map(_format_position, others))})" if others else ""
    place = (
        ":".join(filter(None, (printer(first.path), _format_position(first)))) if first.path else name_prompt(recipe)
    )
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


def _capitalize(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _find_length(message: str, rest: str) -> int:
    """How many characters of the rest of a line a message is about: what it quotes of it, else the first."""
    quoted = (each[0][1:-1] for each in QUOTED.finditer(message))
    return max((len(each) for each in quoted if rest.startswith(each)), default=1)


def _cut_excerpt(source: str, column: int, room: int | None) -> tuple[str, int]:
    """As much of a line as the terminal has room for, with the column in it; and how many characters come before."""
    if room is None or measure_width(source) <= room:
        return source, 0
    start = column - 1
    while start and measure_width(source[start - 1 : column]) <= room * 2 // 3:
        start -= 1
    shown = f"…{source[start + 1 :]}" if start else source
    end = min(len(shown), room)
    while measure_width(shown[:end]) > room - 1:
        end -= 1
    return shown if end == len(shown) else f"{shown[:end]}…", start


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
        style(count_noun(number, SEVERITY_NAMES[severity]), fg=SEVERITY_COLOURS[severity])
        for severity in SEVERITIES
        if (number := checked.count(severity))
    ]
    fixable = sum(finding.fixable for finding in checked.findings)
    files = len({finding.path for finding in checked.findings if finding.path})
    where = f" in {count_noun(files, 'file')}" if files else " in the prompt"
    fixes = f"; `--fix` fixes {fixable}" if fixable else ""
    return f"Found {count_noun(len(checked.findings), 'problem')}{where} ({', '.join(parts)}){fixes}{ignored}."


def show_rules(code: str, as_json: bool) -> None:
    """The page of a check; without a code, every check with what it finds."""
    rules = all_rules().values()
    data = {each.code: {"code": each.code, "severity": each.severity, "finds": each.title} for each in rules}
    page = read_rule_page(code) if code else ""
    if as_json:
        write_json({**data[code], "page": page} if code else list(data.values()))
    elif code:
        write(page)
    else:
        rows = [(style(each.code, bold=True), SEVERITY_NAMES[each.severity], each.title) for each in rules]
        print_table(rows, indent="", heads=("code", "severity", "finds"))


@click.command("check", epilog=RECIPE_HELP)
@add_build_options
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
@click.option("--skills", is_flag=True, help="List the skills and the problems of each.")
@click.option(
    "--explain",
    metavar="CODE",
    is_flag=False,
    flag_value="",
    help="Explain a check and how to fix it; without a code, list all checks.",
)
@click.option("--list", "listing", is_flag=True, help="List all checks.")
def command(
    select: tuple[str, ...], ignore: tuple[str, ...], no_ignore: bool, fix: bool, yes: bool, form: str, as_json: bool,
    everything: bool, strict: bool, skills: bool, explain: str | None, listing: bool, **options: Any,
) -> int:  # fmt: skip
    """Find problems in the prompt and in the files it is built from: hidden text, secrets, files that no agent reads.

    Exits with 1 on an error; with --strict, on any finding. To ignore a finding on one line, write
    <!-- overture: ignore CODE: reason --> above it. To ignore it in a project, use [check] in overture.toml.

    \b
    overture check                       find problems here
    overture check --explain CODE        explain a check and how to fix it
    overture check --fix                 apply safe fixes
    overture check --format github       annotations on a pull request
    overture check --skills --strict     list the skills; exit 1 if any is invalid
    """
    runs = ("--select", "--ignore", "--no-ignore", "--fix", "--yes", "--all")
    refuse_combinations(
        ("--list", "--explain", "--skills", "--strict", *runs),
        ("--explain", "--skills", "--strict", *runs),
        ("--skills", "--budget", "--window", *runs),
        *((("--json", "--format"),) if form != "json" else ()),
    )
    require_option("--fix", "--yes")
    if listing or explain is not None:
        show_rules(explain or "", as_json or form == "json")
        return 0
    if skills:
        if form not in ("text", "json"):
            raise ConfigError(f"`--skills` and `--format {form}` can't be combined.", hint="Omit one of them.")
        return _check_skills(CommandOptions(**options), as_json or form == "json", strict)
    selection = RuleSelection(_split_codes(select), _split_codes(ignore), comments=not no_ignore)
    form = "json" if as_json else form
    command_options = CommandOptions(**options)
    inputs, checked = check_gathered(gather_state(command_options), selection)
    if fix and fix_findings(inputs, checked, yes, quiet=form != "text"):
        inputs, checked = check_gathered(gather_state(command_options), selection)
    printer = make_path_printer(command_options)
    print_findings(inputs, checked, form, everything, printer)
    for each in checked.unchecked:
        print_error(f"error: {escape_controls(printer.within(each.message))}")
    return 2 if checked.unchecked else int(bool(checked.findings) if strict else not checked.ok)


def _check_skills(options: CommandOptions, as_json: bool, strict: bool) -> int:
    """`--skills`: shows the skills with their findings; 1 with --strict if one has any."""
    from .show_skills import show_skills

    gathered = gather_state(options)
    findings = check_gathered(gathered, RuleSelection())[1].findings if gathered.state.skills else ()
    has_problems = show_skills(gathered, findings, make_path_printer(options), as_json)
    return int(strict and has_problems)


def check_gathered(gathered: GatheredState, selection: RuleSelection) -> tuple[CheckInput, CheckResult]:
    """Runs the rules on a prompt, and on its source files if there are any."""
    prompt = gathered.build()
    report_step("checking")
    if project := gathered.project:
        inputs, config = collect_check_input(project, prompt, gathered.found), project.config
    else:  # of a saved prompt, or one with --no-discover, no file of this disk is known as its source
        inputs, config = make_saved_input(prompt, gathered.found.looked_at), Config({})
    return inputs, run_rules(inputs, select_rules(config, prompt.recipe.name, selection, "--"))


def _split_codes(texts: tuple[str, ...]) -> tuple[str, ...]:
    """`--select a,b --select c` as three words."""
    return tuple(word for text in texts for word in (part.strip() for part in text.split(",")) if word)


def print_findings(inputs: CheckInput, checked: CheckResult, form: str, everything: bool, printer: PathPrinter) -> None:
    """Prints the findings in the format of `--format`."""
    if form == "json":
        write_json(checked.to_dict())
    elif form == "sarif":
        from .output_formats import make_sarif

        write_json(make_sarif(checked, __version__))
    elif form == "github":
        from .output_formats import format_annotations

        if lines := format_annotations(checked):
            write("\n".join(escape_controls(line) for line in lines))
    else:
        texts = {page.path: page.text for page in inputs.pages}
        show_findings(checked, printer, texts, len(texts), everything=everything)
