"""A report of what was sent -> lines for a terminal, and Markdown."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ...text.escape import escape_markdown
from ...text.words import count_noun, format_money
from ...tokens.counter import format_tokens
from ..judge.miss_causes import CallVerdict
from ..judge.prompt_sections import RequestPart
from ..judge.report_data import CallReport, CauseCost, ConversationReport, TapReport, sum_known
from ..recorded_call import NO_DIFFERENCE, describe_midway_error

T = TypeVar("T")
MAX_REPORT_ROWS = 12
"""Conversations, their calls, sections, tools and causes that are listed; the others are added up."""


def format_bill(report: TapReport) -> str:
    """What the session cost, and what of it has which cause."""
    if report.dollars is None:
        named = ", ".join(report.unpriced) or "no model"
        return f"The cost of this session is unknown: there is no price for {named}."
    line = format_cost(format_amount(report.dollars, at_least=report.at_least), _is_dry_run(report))
    dear = next((cause for cause in report.causes if cause.dollars), None)
    if dear is None or dear.dollars is None:
        misses = sum(cause.calls for cause in report.causes)
        return f"{line}; {count_noun(misses, 'cache miss') if misses else 'no cache misses'}."
    more = (report.lost or 0.0) - dear.dollars
    misses = sum(cause.calls for cause in report.causes if cause is not dear)
    rest = f", and {format_money(more)} for {count_noun(misses, 'other miss')}" if more >= 0.00005 else ""
    return f"{line}; {format_money(dear.dollars)} of it because {dear.cause}{rest}."


def format_cost(amount: str, dry_run: bool) -> str:
    """What a session cost, or would cost if it was a dry run."""
    if dry_run:
        return f"Dry run: nothing was sent or paid. These calls would cost {amount}"
    return f"This session cost {amount}"


def _is_dry_run(report: TapReport) -> bool:
    return 0 < report.calls == report.dry_run


def _describe_savings(report: TapReport) -> str:
    """What the cache was worth, beside sending all of it without one."""
    if report.dollars is None or report.uncached is None or not round(report.uncached - report.dollars, 4):
        return ""
    more = report.uncached - report.dollars
    cost, save, saved = ("would cost", "would save", "saves") if _is_dry_run(report) else ("cost", "saved", "saved")
    if more > 0:
        return f"the cache {save} {format_money(more)}; "
    return f"the cache {cost} {format_money(-more)} more than it {saved}; "


def format_amount(dollars: float | None, *, at_least: bool) -> str:
    """`$4.10`, or `at least $4.10` where not every price is known."""
    if dollars is None:
        return "price unknown"
    if at_least and 0 < dollars < 0.00005:
        return f"at least ${dollars:.6f}"
    return f"at least {format_money(dollars)}" if at_least else format_money(dollars)


def _list_price_notes(report: TapReport) -> Iterator[str]:
    """How many calls were dry runs, if others were paid, and why the bill is "at least"."""
    if 0 < report.dry_run < report.calls:
        whose = "its" if report.dry_run == 1 else "their"
        yield f"Dry run: {count_noun(report.dry_run, 'call')} of these; nobody paid {whose} predicted cost."
    if report.not_priced and report.dollars is not None:
        more = len(report.not_priced) - MAX_REPORT_ROWS
        rest = f", and {more} more" if more > 0 else ""
        yield f"Not included: {', '.join(report.not_priced[:MAX_REPORT_ROWS])}{rest}."


def make_report_lines(report: TapReport) -> Iterator[str]:
    """The report as lines for a terminal."""
    yield format_bill(report)
    calls, conversations = count_noun(report.calls, "call"), count_noun(len(report.conversations), "conversation")
    yield f"{calls} in {conversations}; {_describe_savings(report)}prices of {report.as_known_on}."
    yield from _list_price_notes(report)
    dearest, others = _split_conversations(report)
    for conversation in dearest:
        yield ""
        yield f"{conversation.name}: {_describe_sums(conversation)}"
        yield f"  named `{conversation.name}`: {conversation.why}"
        dear_calls, more = _split_calls(conversation)
        yield from (f"  {line}" for line in _list_calls(dear_calls))
        yield from (f"  {_describe_calls(more)}",) if more else ()
        for title, parts in _list_tables(conversation):
            yield f"  {title}"
            tokens = [format_tokens(part.tokens, exact=report.exact) for part in parts]
            rows = zip(parts, tokens, strict=True)
            yield from (f"    {number:>8}  {part.share:>5.1%}  {_make_label(part)}" for part, number in rows)
    if others:
        yield from ("", _describe_others(others))
    if report.missing:
        yield ""
    yield from _list_notes(report)


def _list_notes(report: TapReport) -> Iterator[str]:
    """What could not be recorded."""
    yield from (f"not recorded: {each}" for each in report.missing[:MAX_REPORT_ROWS])
    if len(report.missing) > MAX_REPORT_ROWS:
        yield f"not recorded: {len(report.missing) - MAX_REPORT_ROWS:,} more; --json has them all"


def make_markdown(report: TapReport) -> str:
    """The report as Markdown."""
    return "\n".join(_make_markdown_lines(report)) + "\n"


def _make_markdown_lines(report: TapReport) -> Iterator[str]:
    """The tap's report as Markdown, line by line."""
    saved = _describe_savings(report).rstrip("; ")
    yield from ("# What was sent", "", escape_markdown(format_bill(report)), "")
    yield from (f"{saved[0].upper()}{saved[1:]}.", "") if saved else ()
    yield from (line for each in _list_price_notes(report) for line in (escape_markdown(each), ""))
    yield from _make_cause_table(report.causes)
    dearest, others = _split_conversations(report)
    for conversation in dearest:
        yield from (
            f"## {escape_markdown(conversation.name)}",
            "",
            f"{escape_markdown(conversation.why)}. {_describe_sums(conversation)}.",
            "",
        )
        yield from (
            "| Call | Model | In | Read | Predicted | Out | Price | Cache |",
            "|---|---|---:|---:|---:|---:|---:|---|",
        )
        dear_calls, more = _split_calls(conversation)
        yield from (f"| {' | '.join(map(escape_markdown, _make_row(call)))} |" for call in dear_calls)
        yield ""
        yield from (f"{_describe_calls(more)}.", "") if more else ()
        for title, parts in _list_tables(conversation):
            yield from (f"| {title} | Tokens | Share |", "|---|---:|---:|")
            for part in parts:
                tokens = format_tokens(part.tokens, exact=report.exact)
                yield f"| {escape_markdown(_make_label(part))} | {tokens} | {part.share:.1%} |"
            yield ""
    yield from (f"{_describe_others(others)}.", "") if others else ()
    yield from (f"- {escape_markdown(each)}" for each in _list_notes(report))


def make_file_table(call: str, summary: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The report's Markdown table of the files behind a call; a row without a path is a line below the table."""
    if not rows:
        return
    yield from (
        "",
        f"## Files of {escape_markdown(call)}",
        "",
        *([escape_markdown(f"{summary[0].upper()}{summary[1:]}."), ""] if summary else []),
    )
    if any(path for path, _ in rows):
        yield from ("| File | Sent |", "|---|---|")
        yield from (f"| {escape_markdown(path)} | {escape_markdown(words)} |" for path, words in rows if path)
        yield ""
    yield from (f"- {escape_markdown(words)}" for path, words in rows if not path)


def _make_cause_table(causes: Sequence[CauseCost]) -> Iterator[str]:
    if causes:
        yield from ("| Why tokens were paid again | Calls | Tokens | Dollars |", "|---|---:|---:|---:|")
        for each in causes[:MAX_REPORT_ROWS]:
            cost = "?" if each.dollars is None else format_money(each.dollars)
            yield f"| {escape_markdown(f'{each.reason}: {each.cause}')} | {each.calls} | {each.tokens:,} | {cost} |"
        yield ""
        if len(causes) > MAX_REPORT_ROWS:
            yield from (f"{count_noun(len(causes) - MAX_REPORT_ROWS, 'other cause')}; --json has them all.", "")


def _split_conversations(report: TapReport) -> tuple[list[ConversationReport], list[ConversationReport]]:
    """Those that cost most, or sent most where no price is known, and the others."""
    return _split_largest(report.conversations, MAX_REPORT_ROWS, lambda each: (each.dollars or 0.0, each.input))


def _split_calls(conversation: ConversationReport) -> tuple[list[CallReport], list[CallReport]]:
    """The calls that lost most, then other misses, then the dearest; and the others."""
    return _split_largest(conversation.calls, MAX_REPORT_ROWS, lambda call: _rank_call(call.verdict))


def _rank_call(verdict: CallVerdict) -> tuple[float, bool, float]:
    lost = sum(loss.dollars or 0.0 for loss in verdict.losses)
    return lost, verdict.reason != "hit", verdict.price.dollars or 0.0


def _describe_calls(calls: Sequence[CallReport]) -> str:
    """Calls that are not listed, added up."""
    reasons = Counter(call.verdict.reason for call in calls).most_common()
    dollars = sum_known(call.verdict.price.dollars for call in calls)
    at_least = any(call.verdict.price.at_least or call.verdict.price.dollars is None for call in calls)
    cost = "" if dollars is None else f", {format_amount(dollars, at_least=at_least)}"
    kinds = ", ".join(f"{reason}: {count}" for reason, count in reasons)
    return f"{count_noun(len(calls), 'other call')} ({kinds}){cost}; --json has them all"


def _describe_others(conversations: Sequence[ConversationReport]) -> str:
    """Conversations that are not listed, added up; an unknown sum is omitted."""
    calls = [call for each in conversations for call in each.calls]
    figures = [count_noun(len(calls), "call")]
    if tokens := sum(each.input for each in conversations):
        figures.append("~" * (not all(call.verdict.price.said for call in calls)) + f"{count_noun(tokens, 'token')} in")
    dollars = sum_known(each.dollars for each in conversations)
    if dollars is not None:
        at_least = any(each.at_least or each.dollars is None for each in conversations)
        figures.append(format_amount(dollars, at_least=at_least))
    return f"{count_noun(len(conversations), 'other conversation')}: {', '.join(figures)}; --json has them all"


def _describe_sums(conversation: ConversationReport) -> str:
    """The calls, tokens and cost of a conversation in the report."""
    price = format_amount(conversation.dollars, at_least=conversation.at_least)
    lost = f", {format_money(conversation.lost)} of it lost" if conversation.lost else ""
    calls = count_noun(len(conversation.calls), "call")
    verdicts = [call.verdict for call in conversation.calls]
    read = f"{conversation.read:,}" if any(each.read is not None for each in verdicts) else "unknown"
    out = f"{conversation.output:,}" if any(each.price.output is not None for each in verdicts) else "?"
    sent = "~" * (not all(each.price.said for each in verdicts)) + count_noun(conversation.input, "token")
    return f"{calls}, {sent} in ({read} from the cache), {out} out, {price}{lost}"


def _make_row(call: CallReport) -> list[str]:
    """The line of a call in the report: tokens, cache reads, cost, and the cause of a miss."""
    verdict = call.verdict
    price = verdict.price
    read = "unknown" if verdict.read is None else f"{verdict.read:,}"
    cost = "?" if price.dollars is None else format_amount(price.dollars, at_least=price.at_least)
    out = "?" if price.output is None else f"{price.output:,}"
    # A refused call has its error as its cause.
    midway = describe_midway_error(call.error) if verdict.reason != "failed" else ""
    return [
        call.id,
        call.model,
        f"{'~' * (not price.said)}{verdict.tokens:,}",
        read,
        f"{verdict.predicted:,}",
        out,
        cost,
        describe_cache(verdict) + (f"; {midway}" if midway else ""),
    ]


def describe_cache(verdict: CallVerdict) -> str:
    """What became of a call's cache, by our judgement and by the provider's own."""
    why = f"{verdict.reason}: {verdict.cause}" if verdict.cause else verdict.reason
    at = verdict.change.byte if verdict.change is not None else None
    where = f" (byte {at:,})" if at is not None and verdict.reason == "prefix changed" else ""
    out = f"; ruled out: {'; '.join(verdict.ruled_out)}" if verdict.ruled_out else ""
    # That nothing differs is worth a word only where something was missed.
    shown = verdict.diagnosis and (verdict.losses or verdict.diagnosis != NO_DIFFERENCE)
    return f"{why}{where}{out}" + (f"; the provider says: {verdict.diagnosis}" if shown else "")


def _list_calls(calls: Sequence[CallReport]) -> Iterator[str]:
    """The calls of a conversation in the report, one per line."""
    for call in calls:
        name, model, tokens, read, predicted, out, cost, why = _make_row(call)
        dollars = sum(loss.dollars or 0.0 for loss in call.verdict.losses)
        lost = f", {format_money(dollars)} of it lost" if dollars >= 0.00005 else ""
        yield f"{name}  {model}  {tokens} in, {read} read ({predicted} predicted), {out} out, {cost}{lost}  {why}"


def _list_tables(conversation: ConversationReport) -> Iterator[tuple[str, Sequence[RequestPart]]]:
    tables = {"Sections": conversation.sections, "Tools": conversation.tools, "Messages": conversation.messages}
    return ((title, _limit_parts(parts)) for title, parts in tables.items() if parts)


def _limit_parts(parts: Sequence[RequestPart]) -> list[RequestPart]:
    """The largest in their order, and the others in one row."""
    if len(parts) <= MAX_REPORT_ROWS:
        return list(parts)
    largest, rest = _split_largest(parts, MAX_REPORT_ROWS - 1, lambda part: part.tokens)
    more = RequestPart(count_noun(len(rest), "other"), sum(p.tokens for p in rest), sum(p.share for p in rest))
    return [*largest, more]


def _split_largest(rows: Sequence[T], limit: int, size: Callable[[T], Any]) -> tuple[list[T], list[T]]:
    """The largest rows and the others, both in their order."""
    largest = set(sorted(range(len(rows)), key=lambda index: size(rows[index]), reverse=True)[:limit])
    return (
        [row for index, row in enumerate(rows) if index in largest],
        [row for index, row in enumerate(rows) if index not in largest],
    )


def _make_label(part: RequestPart) -> str:
    return f"{'  ' * max(part.level - 1, 0)}{part.name}" + (f" ×{part.count}" if part.count > 1 else "")
