"""Runs a program with the tap between it and its provider, or keeps the tap open for programs that others start."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from ....report.tap.run import Run
from ....tap.logs.follow import Following, followed
from ....tap.logs.own_transcripts import places_of
from ....tap.programs.apps.chromium_words import chromium_words
from ....tap.programs.apps.find_app import located
from ....tap.programs.apps.profile import profile_words
from ....tap.programs.named_program import named_program
from ....tap.programs.programs import Way
from ....tap.programs.run_program import path_of, run_program
from ....tap.programs.start import start_of, way_of
from ....tap.recording.recording import Recording, new_id, now
from ....tap.store.open_store import open_store
from ....tap.store.store import Store
from ...agents.ask_agents import top_of
from ...shared.terminal import complain
from .listening import Live, tell_addresses
from .page_beside import address_of
from .plan import Ended, Plan

if TYPE_CHECKING:
    from ....tap.certificate.authority import Authority
    from ....tap.pass_through.tapped import Tap

HOW = {"base": "by its base URL", "proxy": "as by a proxy, with a certificate of this run alone"}
PATIENCE = 6.0
"""Seconds that the end of a run may take to be recorded: a little more than one waits for another writer."""


def tap_program(argv: tuple[str, ...], plan: Plan) -> Ended:
    """Run a program to its end."""
    argv = located(argv, plan.environ)
    path_of(argv[0], plan.environ)
    way = way_of(named_program(argv).program, plan.environ, plan.way)
    with open_store(plan.store) as store:
        return asyncio.run(_tap_program(argv, plan, way, store))


async def _tap_program(argv: tuple[str, ...], plan: Plan, way: Way, store: Store) -> Ended:
    run = _run(plan, named_program(argv).name, argv)
    recording = Recording(store, run)
    code = 1
    async with _open(plan, recording, way == "proxy", named_program(argv).program.chromium) as (tap, trust, digest):
        words = _app_words(argv, plan, tap, trust, digest)
        start = start_of(argv, plan.environ, tap.bases, tap.proxy, trust, way, words)
        note = f"; {start.note}" if start.note else ""
        kept = f"Its calls are kept in {store.where}{_seen(plan, run)}"
        complain(f"overture tap: {run.program} is tapped {HOW[way]}{note}. {kept}")
        following = _following(start.program.transcripts, store, run, plan)
        with followed(following):
            code = await run_program(start.argv, start.environ)
    return _over(recording, code, tap, way, following)._replace(app=start.program.chromium)


def _app_words(argv: tuple[str, ...], plan: Plan, tap: "Tap", trust: Mapping[str, str], digest: str) -> list[str]:
    """The words for an app that is made with Chromium; a new profile lies where all is deleted at the end."""
    named = named_program(argv)
    if not named.program.chromium:
        return []
    new = os.path.join(os.path.dirname(next(iter(trust.values()))), "profile") if plan.new_profile else ""
    ours = chromium_words(tap.port, digest, plan.upstreams.values(), plan.environ)
    return [*profile_words(named, argv, plan.environ, new), *ours]


def _following(agent: str, store: Store, run: Run, plan: Plan) -> Following | None:
    """What follows the program's own transcripts; None where it is tapped without them."""
    if not agent:
        return None
    return Following(agent, store, run, places_of(plan.cwd, top_of(_HERE)), plan.environ)


_HERE = {"cwd": None, "home": None, "root": None}


def listen(plan: Plan, live: Live) -> Ended:
    """Keep the tap open until Ctrl-C, with a line for each call."""
    with open_store(plan.store) as store:
        return asyncio.run(_listen(plan, store, live))


async def _listen(plan: Plan, store: Store, live: Live) -> Ended:
    recording = Recording(store, _run(plan, "", ()), live.tell)
    ended = asyncio.Event()
    async with _open(plan, recording, plan.way == "proxy") as (tap, trust, _):
        for number in _ending():
            with suppress(NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, ended.set)
        tell_addresses(tap, trust, store.where + _seen(plan, recording.run))
        await ended.wait()
    return _over(recording, 0, tap, plan.way or "base")


def _seen(plan: Plan, run: Run) -> str:
    return f" and shown at {address_of(plan.page, run.id)}" if plan.page else ""


def _ending() -> Iterator[int]:
    """The signals that end a tap; a hangup only where nobody asked for it to be ignored, as `nohup` does."""
    yield from (signal.SIGINT, signal.SIGTERM)
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        yield hangup


def _run(plan: Plan, program: str, argv: tuple[str, ...]) -> Run:
    addresses = tuple(dict.fromkeys(map(str, plan.upstreams.values())))
    return Run("r" + new_id(6), now(), program, argv, plan.cwd, addresses)


def _over(recording: Recording, code: int, tap: "Tap", way: Way, following: Following | None = None) -> Ended:
    """The run is over; a record that can't be ended is said, and changes nothing of how the program ended."""
    lost = (*tap.lost, *(following.problems if following else ()))
    also = following.calls if following else 0
    if problem := _end(recording, lost):
        lost = (*lost, f"the end of the run could not be recorded: {problem}")
    closed = tuple(host for host, _ in tap.router.closed.most_common())
    return Ended(code, recording.run.id, lost, way, tap.router.asked, closed, recording.calls + also, also)


def _end(recording: Recording, lost: tuple[str, ...]) -> str:
    """Record the end; what went wrong. A server that does not answer any more is not waited for."""
    problems = ["the store does not answer"]

    def end() -> None:
        try:
            recording.end(lost)
            problems.clear()
        except Exception as problem:  # the disk may be full by now
            problems[:] = [str(problem)]

    thread = Thread(target=end, name="overture-tap-end", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return next(iter(problems), "")


@asynccontextmanager
async def _open(
    plan: Plan, recording: Recording, proxy: bool, tokenless: bool = False
) -> AsyncIterator[tuple["Tap", dict[str, str], str]]:
    """The tap, open; the variables by which a program trusts it, and the digest by which Chromium does."""
    from ....tap.pass_through.kept.capture import Room
    from ....tap.pass_through.tapped import tapped

    with _authority(plan, proxy) as (authority, trust):
        async with tapped(
            plan.upstreams, recording.record, port=plan.port, authority=authority, environ=plan.environ,
            tokenless=tokenless, room=Room(events=plan.events),
        ) as tap:  # fmt: skip
            yield tap, trust, authority.digest if authority else ""


@contextmanager
def _authority(plan: Plan, proxy: bool) -> Iterator[tuple["Authority | None", dict[str, str]]]:
    """A certificate authority for this run, where the tap is a proxy."""
    if not proxy:
        yield None, {}
        return
    from ....tap.certificate.authority import Authority
    from ....tap.certificate.trusted import trusted

    authority = Authority()
    with trusted(authority, plan.environ) as variables:
        yield authority, variables
