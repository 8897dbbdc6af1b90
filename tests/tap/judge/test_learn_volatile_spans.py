"""What a cache is seen to ignore, and what it is known to: spans of text, headers, deferred tools, settings."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from overture.known_models.model_table import packaged_table
from overture.tap.commands.report_text import make_markdown, make_report_lines
from overture.tap.judge.cache_key import list_compared_pieces
from overture.tap.judge.group_conversations import group_calls
from overture.tap.judge.miss_causes import CallVerdict
from overture.tap.judge.predict_cache_reads import TokenScale
from overture.tap.judge.report_data import make_report
from overture.tap.judge.volatile_spans import make_mask
from overture.tap.page.judge_run import IncrementalJudge
from overture.tap.recorded_call import CallPiece, RecordedCall

from .calls import call, read, said, system, tool, usage
from .test_judge_calls import LONG, anthropic, verdicts

TEXTS = st.text(alphabet="ab1; =\n", max_size=30)
BILLING = "x-anthropic-billing-header: cc_version=1; cch={}; cc_turn_index={};"
FIRST_PARTY = "api.anthropic.com"


def billed(minute: float, *texts: str, first: bool = True, host: str = FIRST_PARTY, **more: Any) -> RecordedCall:
    """A call with a billing header, as the first entry of its system prompt or behind it."""
    header, prompt = system(BILLING.format(f"{minute:.0f}a", minute)), system(f"You are A.\n{LONG}", mark=True)
    entries = (header, prompt) if first else (replace(prompt, mark=False), replace(header, mark=True))
    return call(tool("a"), *entries, *said(*texts, mark=True), minute=minute, host=host, **more)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_differed_is_hidden(first: str, second: str, third: str, fourth: str) -> None:
    """A mask makes equal what it was learned from, also after it has learned more, and changes nothing else."""
    mask = make_mask(first, second)
    assert mask.hide_spans(first) == mask.hide_spans(second) and mask.adopt_spans(first, second) == second
    wider = make_mask(third, fourth, mask)
    assert wider.hide_spans(third) == wider.hide_spans(fourth)
    if first == second:
        assert mask.hide_spans(third) == third


def test_a_mask_hides_whole_words_alone() -> None:
    """Another value of the same field is hidden, and another field is not."""
    mask = make_mask("a: x; cch=1f2; n=3\nRules", "a: x; cch=1c9; n=4\nRules")
    assert mask.hide_spans("a: x; cch=77777; n=10\nRules") == mask.hide_spans("a: x; cch=1f2; n=3\nRules")
    assert mask.hide_spans("a: y; cch=1f2; n=3\nRules") == "a: y; cch=1f2; n=3\nRules"
    assert mask.hide_spans("a: x; cch=1f2; n=3\nOther") != mask.hide_spans("a: x; cch=1f2; n=3\nRules")


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 900)), max_size=6), st.integers(0, 1000))
def test_sizes_never_fall(points: list[tuple[int, int]], ours: int) -> None:
    """Whatever the provider has told of prefixes, a longer one is not smaller, and the last word counts."""
    scale = TokenScale(points, 1.2)
    assert scale(ours) <= scale(ours + 1)
    if points:
        assert scale(max(points)[0]) == max(points)[1]


def test_the_header_is_stripped_by_its_place() -> None:
    """It is not compared as the first entry at Anthropic's own endpoint, and compared anywhere else."""
    for make, seen in (
        (billed, False),
        (lambda *a, **k: billed(*a, first=False, **k), True),
        (lambda *a, **k: billed(*a, host="gateway.example", **k), True),
    ):
        calls = [make(0, "u"), make(1, "u", "v", "w")]
        compared = [calls[0].pieces[index].text.startswith("x-anthropic") for index in list_compared_pieces(calls[0])]
        assert any(compared) is seen
        second = verdicts(*calls)[1]
        assert second.reason == ("prefix changed" if seen else "hit")


def test_a_prompt_that_is_one_text_is_not_stripped() -> None:
    """A header that is flattened into the system prompt is read by the model."""
    flat = system(f"{BILLING.format('1', 1)}\n{LONG}", mark=True)
    assert list_compared_pieces(call(flat, *said("u"), host=FIRST_PARTY)) == [0, 1]


def test_a_deferred_tool_is_no_part_of_the_prefix() -> None:
    """It may come and go."""
    late = CallPiece("tool", "late", '{"name":"late","defer_loading":true}', "tool")
    first = anthropic(0, "u", usage=usage(0, 0, 4000))
    second = anthropic(1, "u", "v", "w", usage=usage(30, 4000, 0))
    second = replace(second, pieces=(second.pieces[0], late, *second.pieces[1:]))
    told = verdicts(first, second)[1]
    assert (told.reason, told.predicted, told.read) == ("hit", 4000, 4000)
    assert told.change is not None and told.change.has_same_prefix


def changed(**settings: str) -> CallVerdict:
    """The verdict on a call that sets these, after one that did not, and that read nothing."""
    return verdicts(
        anthropic(0, "u", usage=usage(0, 0, 4000)),
        anthropic(1, "u", "v", "w", usage=usage(0, 0, 4030), settings=settings),
    )[1]


def test_settings_by_which_prefixes_are_kept() -> None:
    """Another effort, beta or choice of tools is a cause; what is the default is the same as nothing."""
    for name, value in (("anthropic-beta", '"b1"'), ("speed", '"fast"')):
        told = changed(**{name: value})
        assert (told.reason, told.predicted, told.cause) == ("settings changed", 0, f"the setting '{name}' changed")
    assert changed(tool_choice='{"type":"auto"}', thinking='{"type":"disabled"}').reason == "evicted"


def test_a_setting_that_was_ignored_is_no_cause() -> None:
    """A beta that came between calls that hit is ruled out when the next comes with a miss."""
    told = verdicts(
        anthropic(0, "u", usage=usage(0, 0, 4000)),
        anthropic(1, "u", "v", "w", usage=usage(0, 4000, 30), settings={"anthropic-beta": '"b1"'}),
        anthropic(2, "u", "v", "w", "x", "y", usage=usage(0, 0, 4060), settings={"anthropic-beta": '"b2"'}),
    )
    assert [each.reason for each in told] == ["first call", "hit", "evicted"]
    assert told[1].predicted == 4000 and told[2].cause.startswith("cause unknown")
    assert "the setting 'anthropic-beta' changed: the same happened between calls that hit" in told[2].ruled_out


def test_betas_are_read_from_the_header() -> None:
    """In whatever order, once each."""
    body = {"model": "claude-sonnet-5", "messages": [{"role": "user", "content": "u"}]}
    calls = [read("/v1/messages", body, {}, headers={"anthropic-beta": text}) for text in ("b, a", "a,b,b")]
    assert calls[0].settings == calls[1].settings == {"anthropic-beta": '"a, b"'}


def test_a_parallel_twin_finds_nothing_yet() -> None:
    """A call that begins as another does that is not answered yet is told so, also in a conversation of its own."""
    first = anthropic(0, "u", first_ms=9_000.0, usage=usage(0, 0, 4000))
    twin = anthropic(0.1, "another thing", first_ms=9_000.0, usage=usage(0, 0, 4000))
    assert [each.reason for each in verdicts(first, twin)] == ["first call", "sent meanwhile"]


def test_the_provider_diagnoses() -> None:
    """Its own words are told beside ours: a reason, that nothing differs, or that it does not know yet."""
    asked = {"model": "claude-sonnet-5", "messages": [{"role": "user", "content": "u"}]}
    before = {"diagnostics": {"previous_message_id": "m1"}}
    reason = {"type": "tools_changed", "cache_missed_input_tokens": 1200}
    for own, answer, told in (
        (before, {"diagnostics": {"cache_miss_reason": reason}}, "tools_changed (1,200 tokens missed)"),
        (before, {"diagnostics": None}, "no difference from the previous call"),
        (before, {"diagnostics": {"cache_miss_reason": None}}, "not known yet"),
        ({"diagnostics": {"previous_message_id": None}}, {"diagnostics": None}, None),
        (before, {}, None),
    ):
        assert read("/v1/messages", {**asked, **own}, {"content": [], **answer}).diagnosis == told
    missed = [
        anthropic(0, "u", usage=usage(0, 0, 4000)),
        anthropic(1, "u", "v", "w", usage=usage(0, 0, 4030), diagnosis="no difference from the previous call"),
    ]
    report = make_report(missed)
    for text in ("\n".join(make_report_lines(report)), make_markdown(report)):
        assert "the provider says: no difference from the previous call" in text and "ruled out: an edit" in text


def test_turns_are_linked_by_what_they_name() -> None:
    """The request before, by the billing header, or the answer before, by what is to be diagnosed."""
    first = anthropic(0, "words", request_id="req_1", reply_id="msg_1")
    head = system(f"{BILLING.format(1, 1)} cc_prev_req=req_1;")
    by_header = anthropic(1, "quite other words")
    by_header = replace(by_header, pieces=(by_header.pieces[0], head, *by_header.pieces[1:]))
    by_answer = anthropic(2, "other words again", others={"diagnostics": '{"previous_message_id":"msg_1"}'})
    alone = anthropic(3, "and words of their own")
    assert [conversation.calls for conversation in group_calls([first, by_header, by_answer, alone]).conversations] == [
        (0, 1, 2),
        (3,),
    ]


def test_both_reports_say_the_same() -> None:
    """What is judged call by call for the page is told as the whole report tells it."""
    calls = [
        anthropic(0, "u", usage=usage(0, 0, 4000), missing=("half of it",)),
        anthropic(1, "u", "v", "w", usage=usage(0, 0, 4030), model="nobody-1"),
        billed(2, "z", host="gateway.example"),
    ]
    judged = IncrementalJudge(packaged_table())
    for each in calls:
        judged.add(each)
    assert judged.make_report() == replace(make_report(calls), conversations=())


def test_what_is_nowhere_different_teaches_nothing() -> None:
    """A read that no difference explains ends the learning: a piece came in between, and no old one changed."""
    first = anthropic(0, "u", usage=usage(0, 0, 4000))
    second = anthropic(1, "u", "v", "w", usage=usage(30, 4000, 0))
    added = CallPiece("message", "user", "What was said meanwhile.", message=0)
    at = next(index for index, piece in enumerate(second.pieces) if piece.kind == "message")
    second = replace(second, pieces=(*second.pieces[:at], added, *second.pieces[at:]))
    assert [each.reason for each in verdicts(first, second)] == ["first call", "hit"]
