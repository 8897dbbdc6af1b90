"""A prompt for each of many rows: against a plain loop of f-strings and json.dumps in as many processes.

The job is that of 13 sections of which one differs from row to row, with exact counts, as OpenAI's batch file. Both
sides read the same JSON Lines, write the same requests, and run in processes of their own. `--large` prints how time
and memory grow to a million rows.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from data import make_sentence
from measure import Options, Row, collect, make_row

LINES = [[make_sentence(number * 100 + line, 13) for line in range(12)] for number in range(12)]
NOTES = [make_sentence(line, 13) for line in range(8)]
ROWS = 100_000
GROWTH = (1_000, 10_000, 100_000, 1_000_000)


def rows(options: Options) -> Iterator[Row]:
    """All rows of this topic."""
    with tempfile.TemporaryDirectory(prefix="overture-") as name:
        folder = Path(name)
        write_input(folder / "rows.jsonl", ROWS)

        def one_round(_: int) -> dict[str, float]:
            return {
                f"{side} {number}": run_side(side, folder, number)[0]
                for number in (1, 2)
                for side in ("plain", "ours", "wall")
            }

        took = collect(one_round, options.count(3))
        for number in (1, 2):
            plain = ("f-strings and json.dumps, without counts", took[f"plain {number}"])
            work = f"batch: {ROWS:,} rows of 13 sections, exact counts, {number} process{'es' * (number > 1)}"
            yield make_row("batch", work, "s", took[f"ours {number}"], plain, goal=2)
        one = ("one process, on the clock", took["wall 1"])
        yield make_row("batch", "batch: two processes", "s", took["wall 2"], one, "faster", goal=1.7)
        small = run_side("ours", write_small(folder), 2)[1]
        large = run_side("ours", folder, 2)[1]
        grown = f"batch: memory at {ROWS:,} rows above that at a tenth"
        yield make_row("batch", grown, "MB", [large], (f"{ROWS // 10:,} rows", [small]), "above", goal=200)
        if options.large:
            yield from print_growth(folder)


def print_growth(folder: Path) -> Iterator[Row]:
    """Time and memory at each size, and how many times as long it takes as at the size before."""
    before: tuple[str, list[float]] | None = None
    for count in GROWTH:
        write_input(folder / "rows.jsonl", count)
        took, memory = run_side("wall", folder, 2)
        work = f"batch: {count:,} rows, 2 processes"
        yield make_row("batch", work, "s", [took], before, note=f"{memory:,.0f} MB in the largest process")
        before = f"{count:,} rows", [took]


def write_input(path: Path, count: int) -> None:
    """So many rows that differ in one line of their notes, and in the message."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            notes = [*NOTES[:-1], f"row {number} changed a line of the notes"]
            file.write(json.dumps({"id": f"r{number}", "memories": notes, "message": f"What is {number}?"}) + "\n")


def write_small(folder: Path) -> Path:
    """A folder with a tenth of the rows."""
    small = folder / "small"
    small.mkdir(exist_ok=True)
    write_input(small / "rows.jsonl", ROWS // 10)
    return small


def run_side(side: str, folder: Path, processes: int) -> tuple[float, float]:
    """Nanoseconds of processor time (`wall`: on the clock) of one side, and the megabytes of its largest process."""
    command = [sys.executable, __file__, "ours" if side == "wall" else side, str(folder), str(processes)]
    with tempfile.TemporaryDirectory(dir=folder) as out:
        began = time.monotonic()
        told = subprocess.run([*command, out], check=True, capture_output=True, text=True).stdout.split()
        wall = (time.monotonic() - began) * 1e9
    return wall if side == "wall" else float(told[-2]), float(told[-1])


# What runs in a process of its own.


def build_plain(path: Path, part: int, parts: int, out: Path) -> None:
    """Every so many-th row, as anybody would write it."""
    with path.open("rb") as source, (out / f"{part}.jsonl").open("w", encoding="utf-8") as file:
        for number, line in enumerate(source):
            if number % parts == part:
                row = json.loads(line)
                sections = [*LINES, row["memories"]]
                text = "\n\n".join(["\n".join([f"- {each}" for each in lines]) for lines in sections])
                body = {
                    "model": "gpt-5.4",
                    "instructions": text,
                    "input": [{"role": "user", "content": row["message"]}],
                }
                request = {"custom_id": row["id"], "method": "POST", "url": "/v1/responses", "body": body}
                file.write(json.dumps(request) + "\n")


def run_plain(path: Path, processes: int, out: Path) -> None:
    """The plain loop, in so many processes."""
    from multiprocessing import get_context

    context = get_context("spawn")
    running = [context.Process(target=build_plain, args=(path, part, processes, out)) for part in range(processes)]
    for process in running:
        process.start()
    for process in running:
        process.join()


def load_recipe():  # type: ignore[no-untyped-def]
    """The recipe of the job: 12 sections that are the same for all rows, and one of notes."""
    from overture import Part, Recipe, Section

    def write_section(number: int) -> Section:
        text = "\n".join(f"- {line}" for line in LINES[number])
        return Section(f"section-{number}", lambda: text)

    def remember(memories: tuple[str, ...]) -> list[Part]:
        return [Part(text, before="- ") for text in memories]

    return Recipe("thirteen", (*map(write_section, range(12)), Section("memories", remember, pace="turn")))


def run_ours(path: Path, processes: int, out: Path) -> None:
    """What `overture batch` does once its options are read."""
    from overture import State, load_models
    from overture.batch.batch_files_and_manifest import finish_batch, order_parts
    from overture.batch.build_rows import BatchSetup, PartFolder, RowBuilder, run_parts
    from overture.batch.columns_to_state import ColumnMap
    from overture.batch.job_folder import Job, open_output
    from overture.batch.row_files import RowSource, mark_repeated_ids

    columns = ColumnMap({"memories": "memories", "message": "message"}, "id")
    models = load_models()
    setup = BatchSetup(load_recipe, State(), columns, provider="openai", model="gpt-5.4", models=models)
    parts = PartFolder(str(out))
    chunks = enumerate(mark_repeated_ids(RowSource(str(path), "jsonl", path.stat().st_size).read(), "id"))
    with open_output(str(out), Job("batch", {}), resume=False) as folder:
        done = (number for number, _ in run_parts("local", setup, parts, processes, chunks))
        manifest = finish_batch(folder, parts, order_parts(done, set()), RowBuilder(setup))
        folder.finish()
    assert manifest.failed == 0 and manifest.tokens.exact


if __name__ == "__main__":
    side, folder, processes, out = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    (run_plain if side == "plain" else run_ours)(folder / "rows.jsonl", processes, out)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    largest = max(each.ru_maxrss for each in used) / 1_000
    print(sum(each.ru_utime + each.ru_stime for each in used) * 1e9, largest)
