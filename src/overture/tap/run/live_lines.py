"""The tap without a program: where it is, and a line for each call as it happens."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from ...discover.load_tokenizer import find_counter
from ...known_models.model_facts import TableForm
from ...terminal.output import print_line
from ..call import RecordedCall
from ..judge.conversation_names import name_conversations
from ..judge.conversations import ConversationIndex
from ..judge.judge_calls import Judge
from ..judge.verdict import CallVerdict
from ..show.report_lines import describe_cache, format_amount
from .plan import fill_addresses
from .programs import load_programs

if TYPE_CHECKING:
    from ..proxy.open_tap import Tap

MIN_REMEMBERED_CALLS = 40
"""Calls that are remembered at least: among them the one before a call is looked for."""
MAX_REMEMBERED_CALLS = 120
"""Calls that are remembered at most."""
MAX_KNOWN_TEXTS = 2_000
"""Texts whose counts are remembered: most are sent again with the next call."""


def print_addresses(tap: "Tap", trust: Mapping[str, str], store: str) -> None:
    """Where the tap is, for each kind of provider, and how programs are told."""
    print_line(f"Calls are recorded in {store}. Press Ctrl-C to stop.")
    for name, base in tap.bases.items():
        print_line(f"  {name:<10} {base}  →  {tap.upstreams[name]}")
    print_line("Set these in the shell that starts the program:")
    lines = [f"  export {name}={shlex.quote(value)}\n" for name, value in _make_variables(tap, trust).items()]
    # As they are: the token in the proxy's address, which lasts as long as this tap, is for whoever reads this.
    sys.stdout.write("".join(lines))
    sys.stdout.flush()


def _make_variables(tap: "Tap", trust: Mapping[str, str]) -> dict[str, str]:
    if tap.proxy is not None:
        return {"HTTPS_PROXY": tap.proxy, "NODE_USE_ENV_PROXY": "1", **trust}
    values = {name.upper(): base for name, base in tap.bases.items()}
    return {name: fill_addresses(value, values) for name, value in load_programs()["sdk"].set.items()}


class LiveLines:
    """Says of each call what it was, as soon as it is recorded. What is known of earlier ones is not found anew."""

    def __init__(self, table: TableForm) -> None:
        self.table = table
        self.count = lru_cache(maxsize=MAX_KNOWN_TEXTS)(find_counter().by_lines)
        self._begin([])

    def print_call(self, call: RecordedCall) -> None:
        """Say a line for a call."""
        print_line(self.make_line(call))

    def make_line(self, call: RecordedCall) -> str:
        """What a call was, of which conversation, and what became of its cache."""
        if len(self.calls) >= MAX_REMEMBERED_CALLS:
            self._begin(self.calls[-MIN_REMEMBERED_CALLS:])
        verdict = self._judge(call)
        conversation = next(
            each for each in name_conversations(self.threads.threads) if len(self.calls) - 1 in each.calls
        )
        return format_live_line(call, verdict, conversation.name)

    def _begin(self, calls: Sequence[RecordedCall]) -> None:
        self.calls: list[RecordedCall] = []
        self.threads, self.judge = ConversationIndex(), Judge(self.calls, self.table, self.count)
        for call in calls:
            self._judge(call)

    def _judge(self, call: RecordedCall) -> CallVerdict:
        number = len(self.calls)
        self.calls.append(call)
        return self.judge.judge_call(number, self.threads.add(number, call))


def format_live_line(call: RecordedCall, verdict: CallVerdict, conversation: str) -> str:
    """Time, id, model, tokens, cache, cost, and what changed."""
    at = datetime.fromisoformat(call.at).astimezone().strftime("%H:%M:%S")
    read = "?" if verdict.read is None else f"{verdict.read:,}"
    out = "?" if verdict.price.output is None else f"{verdict.price.output:,}"
    cost = (
        ""
        if verdict.price.dollars is None
        else f", {format_amount(verdict.price.dollars, at_least=verdict.price.at_least)}"
    )
    wrong = f"  status {call.status}" if call.status not in (0, 200) else ""
    sums = f"{verdict.tokens:,} in ({read} cached), {out} out{cost}"
    return f"{at}  {call.id}  {call.model or '?'}  {sums}  {conversation}  {describe_cache(verdict)}{wrong}"
