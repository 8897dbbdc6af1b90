"""What users wait for, measured in one run: `make bench`, or `make bench ROWS="build session"` for some topics.

Each row compares our work with something else that ran in the same rounds: a plain function, a bare Python, or another
library. `--json PATH` keeps the result; docs/benchmarks.md shows one.
"""

import argparse
import importlib
import re
from importlib.metadata import version
from pathlib import Path

import msgspec
from measure import Options, Result, Row, describe_machine

from report import HEADER, format_row

TOPICS = ("build", "session", "discovery", "commands", "page", "tap", "tap_calls", "batch", "audit", "large")


def main() -> None:
    """Measure, print each row when it is known, and keep all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topics", nargs="*", help=f"of {', '.join(TOPICS)}; all, without a name")
    parser.add_argument("--rounds", type=int, help="rounds of every row")
    parser.add_argument(
        "--large", action="store_true", help="also 100,000 files, 1,000,000 rows and 10,000 repositories: many minutes"
    )
    parser.add_argument("--repositories", type=Path, help="a folder of repositories to run commands in")
    parser.add_argument("--peers", type=Path, default=Options().peers, help="where `make bench-peers` put others")
    parser.add_argument("--json", type=Path, help="write the result to this file")
    asked = parser.parse_args()
    options = Options(asked.rounds, asked.large, asked.repositories, asked.peers)
    machine, rows = describe_machine(), list[Row]()
    print(", ".join(machine.values()), HEADER, sep="\n", flush=True)
    for topic in asked.topics or TOPICS:
        if topic != "large" or asked.large:
            for row in importlib.import_module(topic).rows(options):
                rows.append(row)
                print(format_row(row), flush=True)
            if asked.json:
                write_result(asked.json, Result(machine, find_versions(rows), rows))


def find_versions(rows: list[Row]) -> dict[str, str]:
    """Of Overture, and of all that it was compared with."""
    names = {row.other.name.partition(",")[0] for row in rows if row.other}
    peers = dict(sorted(name.rsplit(" ", 1) for name in names if re.fullmatch(r"[\w-]+ [\d.]+", name)))
    return {"overture": version("overture"), **peers}


def write_result(path: Path, result: Result) -> None:
    """As JSON, after each topic: a run that is ended early has kept what it measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")


if __name__ == "__main__":
    main()
