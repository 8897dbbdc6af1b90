"""What the tap adds to the first byte of an answer, by base URL and as a proxy; and what claude-tap adds.

Upstream, tap with a store, and client are three processes on loopback, and connections are kept. Each round asks once
without the tap and once with it. The time is that of the clock, since three processes share it.
"""

import asyncio
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from first_bytes import Way, first_bytes, started, trust_of
from measure import Options, Row, make_row
from tap_peer import find_version, measure_both

ROUNDS = 500


def rows(options: Options) -> Iterator[Row]:
    """By base URL, as a proxy, and beside claude-tap."""
    for how, took in asyncio.run(_both_ways(options.count(ROUNDS))).items():
        work = f"tap: first byte of an answer, {how}"
        yield make_row("tap", work, "ms", took["with"], ("without the tap", took["without"]), "above", 2)
    program, work = options.peers / "bin" / "claude-tap", "tap: added to the first byte, against claude-tap"
    if not program.exists():
        yield Row("tap", work, "ms", "ratio", note="not installed")
        return
    took = asyncio.run(measure_both(str(program), options.count(ROUNDS)))
    ours, theirs = ([a - b for a, b in zip(took[name], took["without"], strict=True)] for name in list(took)[1:])
    yield make_row("tap", work, "ms", ours, (find_version(str(program)), theirs))


async def _both_ways(rounds: int) -> dict[str, dict[str, list[float]]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with started("upstream") as (_, there):
            plain, secure = f"http://127.0.0.1:{there['port']}", f"https://localhost:{there['secure']}"
            (folder / "pem").write_text(there["pem"], encoding="ascii")
            pem = str(folder / "pem")
            async with started("tap", plain, pem, str(folder / "base" / "calls.sqlite")) as (_, told):
                ways = {"without": Way(int(there["port"]), "/v1"), "with": Way(int(told["port"]), "/openai/v1")}
                by_base = await first_bytes(ways, rounds)
            async with started("tap", f"openai={secure}/v1", pem, str(folder / "proxy" / "calls.sqlite")) as (_, told):
                token = b64encode(told["proxy"].partition("//")[2].rpartition("@")[0].encode()).decode()
                proxy = Way(int(told["port"]), "/v1", trust_of(told["pem"]), f"localhost:{there['secure']}", token)
                ways = {"without": Way(int(there["secure"]), "/v1", trust_of(there["pem"])), "with": proxy}
                as_proxy = await first_bytes(ways, rounds)
    return {"by base URL": by_base, "as a proxy with TLS": as_proxy}
