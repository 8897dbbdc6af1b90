"""Reading 10 files and 200 skills from disk and building their prompt: against pi's own loader and builder."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from data import make_data, write_project
from measure import Options, Row, collect, make_row, measure_time
from peer_process import start_peers

import overture


def rows(options: Options) -> Iterator[Row]:
    """Cold: files of new texts each time. Then the same folder again, with nothing changed."""
    recipe, tools = overture.load_recipe("pi"), make_data(0)["tools"]
    with tempfile.TemporaryDirectory() as top, start_peers(options.peers, ("pi",)) as peers:

        def one_round(number: int) -> dict[str, float]:
            folder = Path(top, str(number))
            cwd, home = write_project(folder, 1_000_000 * os.getpid() + number)
            time.sleep(0.1)  # files that were written this very moment are read again
            took = {
                name: peer.ask({"cwd": str(cwd), "home": str(home), "tools": tools}) for name, peer in peers.items()
            }
            start = time.process_time_ns()
            found = overture.discover(recipe, cwd=cwd, home=home, root=folder)
            prompt = overture.build(recipe, found.state)
            assert prompt.text
            took["cold"] = time.process_time_ns() - start
            assert (len(found.state.context_files), len(found.state.skills)) == (10, 200)

            def again() -> str:
                now = overture.discover(recipe, cwd=cwd, home=home, root=folder, since=found)
                return overture.build(recipe, now.state, since=prompt).text

            again()
            took["same"] = measure_time(again)
            return took

        one_round(-1)
        took = collect(one_round, options.count(12))
        pi = (f"pi {peers['pi'].version}, its loader", took["pi"]) if peers else None
    note = "" if pi else "not installed"
    for name, label, goal in (("cold", "cold", 2), ("same", "nothing changed", 20)):
        work = f"discover and build, 10 files and 200 skills: {label}"
        row = make_row("discovery", work, "ms", took[name], pi, "faster", goal if pi else None, note)
        yield row
