"""What HTTP adds to a build on this machine: `make bench`.

The same request, answered in-process and by `overture serve` over loopback, in turn, several times; the best of each
counts. `per core` compares processor time: that of the server for one answer with that of the same work in-process.
"""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import time

from bench import show, small_and_large

from overture.project.resolve import resolve
from overture.web.service.endpoints import ENDPOINTS, answer
from overture.web.service.offered_recipes import offer_recipes

CLIENTS = 50
SECONDS = 3.0
ROUNDS = 3
GOAL = 60
"""Per cent of the builds in-process, per core."""
LENGTH = re.compile(rb"content-length: (\d+)")


def in_process(body: bytes) -> tuple[float, float]:
    """Builds per second, and seconds of the processor for one: reading, building, writing."""
    offer, build = offer_recipes(resolve("opal")), ENDPOINTS[0]
    answer(build, offer, body)
    start, used, done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - start < SECONDS:
        answer(build, offer, body)
        done += 1
    return done / (time.perf_counter() - start), (time.process_time() - used) / done


async def client(port: int, request: bytes, end: float, took: list[float]) -> None:
    """Ask again and again on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    while time.perf_counter() < end:
        start = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        found = LENGTH.search(head)
        assert found is not None
        await reader.readexactly(int(found[1]))
        took.append(time.perf_counter() - start)
    writer.close()


async def clients(port: int, request: bytes, seconds: float) -> list[float]:
    """How long each answer took, with all clients asking at once."""
    took: list[float] = []
    end = time.perf_counter() + seconds
    await asyncio.gather(*(client(port, request, end, took) for _ in range(CLIENTS)))
    return took


def over_loopback(process: int, port: int, request: bytes) -> tuple[float, float, float]:
    """Builds per second, seconds of the server's processor for one, and the latency of the slowest hundredth."""
    start, used = time.perf_counter(), processor(process)
    took = asyncio.run(clients(port, request, SECONDS))
    spent, cost = time.perf_counter() - start, processor(process) - used
    return len(took) / spent, cost / len(took), statistics.quantiles(took, n=100)[98]


def processor(process: int) -> float:
    """Seconds of the processor that a process has used."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:  # noqa: PTH123
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(size: str, body: bytes) -> None:
    """Both, in turn."""
    line = [sys.executable, "-m", "overture", "serve", "opal", "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().strip().strip("/").rpartition(":")[2])
        head = f"POST /v1/build HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        asyncio.run(clients(port, request, 1))
        rounds = [(in_process(body), over_loopback(server.pid, port, request)) for _ in range(ROUNDS)]
        server.terminate()
    own, cost = max(each[0][0] for each in rounds), min(each[0][1] for each in rounds)
    served, served_cost = max(each[1][0] for each in rounds), min(each[1][1] for each in rounds)
    show(f"serve, {size}: builds a second in-process, one core", own, "/s")
    show(f"serve, {size}: builds a second over loopback, {CLIENTS} clients", served, "/s")
    show(f"serve, {size}: processor for one, in-process", cost * 1000, "ms")
    show(f"serve, {size}: processor for one, of the server", served_cost * 1000, "ms")
    goal = f"target {GOAL}" if size == "large" else ""
    show(f"serve, {size}: of in-process, per core", 100 * cost / served_cost, "%", goal)
    show(f"serve, {size}: 99th percentile with {CLIENTS} clients", min(each[1][2] for each in rounds) * 1000, "ms")


def main() -> None:
    """Measure both sizes."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, best of {ROUNDS}")
    for size, state in small_and_large().items():
        measure(size, json.dumps({"recipe": "opal", "state": state.to_dict()}).encode())


if __name__ == "__main__":
    main()
