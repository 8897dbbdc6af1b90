"""`overture batch`, run as people run it: rows in, files for a provider or Parquet out."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from ..cli.test_build import Result, run

ROWS = [
    {"id": "a", "notes": ["likes tea"], "question": "What is tea?"},
    {"id": "b", "notes": ["likes coffee"], "question": "What is coffee?"},
    {"id": "c", "notes": ["likes tea"], "question": "And now?"},
]
MAPS = ("--map", "memories=notes", "--map", "message=question")
NOW = ("--now", "2026-03-07T08:55:05-06:00")
OPENAI = ("--format", "openai", "--model", "gpt-5.4")


def write_rows(folder: Path, rows: list[Any], name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def batch(folder: Path, *words: str | Path, stdin: str = "") -> Result:
    """Run it in the folder, without any project; the results go to `out`."""
    given = ("--no-discover", *NOW, "--out", "out", "--processes", "1", *words)
    return run("batch", "house", *given, cwd=folder, stdin=stdin)


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def requests(folder: Path) -> list[Any]:
    return [line for path in sorted((folder / "out").glob("requests-*.jsonl")) for line in read_lines(path)]


def errors(folder: Path) -> list[Any]:
    return read_lines(folder / "out" / "errors.jsonl")


def codes(folder: Path) -> dict[int, str]:
    return {each["row"]: each["code"] for each in errors(folder)}


def test_rows_become_requests(tmp_path: Path) -> None:
    """Each row is a request with its own id, state and message; the manifest counts them."""
    done = batch(tmp_path, write_rows(tmp_path, ROWS), *MAPS, *OPENAI, "--json")
    manifest = done.json()
    assert manifest == json.loads((tmp_path / "out" / "manifest.json").read_text())
    sent = requests(tmp_path)
    assert [line["custom_id"] for line in sent] == ["a", "b", "c"]
    assert ["likes coffee" in line["body"]["instructions"] for line in sent] == [False, True, False]
    assert "What is coffee?" in json.dumps(sent[1]["body"]["input"])
    assert (manifest["rows"], manifest["built"], manifest["failed"]) == (3, 3, 0)
    size = (tmp_path / "out" / "requests-0001.jsonl").stat().st_size
    assert manifest["files"] == [{"name": "requests-0001.jsonl", "rows": 3, "bytes": size}]
    assert manifest["tokens"]["exact"] and manifest["tokens"]["counter"] == "o200k"
    assert 0 < manifest["price"]["batch"] <= manifest["price"]["without_batch"] / 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "errors.jsonl", "job.json", "manifest.json", "requests-0001.jsonl",
    ]  # fmt: skip


def test_the_prompt_of_a_row_is_that_of_build(tmp_path: Path) -> None:
    """Text, tokens and fingerprint are those of `overture build` with the same state."""
    done = batch(tmp_path, write_rows(tmp_path, ROWS), "--map", "memories=notes", "--ignore-column", "question")
    assert done.code == 0, done.err
    [file] = (tmp_path / "out").glob("*.parquet")
    rows = parquet.read_table(file).to_pylist()
    for row, given in zip(rows, ROWS, strict=True):
        setting = f"memories={json.dumps(given['notes'])}"
        built = run("build", "house", "--no-discover", *NOW, "--set", setting, "--format", "json").json()
        assert row == {
            "row": ROWS.index(given) + 1, "id": given["id"], "text": built["text"], "tokens": built["tokens"]["total"],
            "fingerprint": built["fingerprint"], "diagnostics": [],
        }  # fmt: skip


def make_inputs(folder: Path) -> dict[str, tuple[str, ...]]:
    """The same rows in every form."""
    table = pa.Table.from_pylist(ROWS)
    write_rows(folder, ROWS)
    cells = "".join(f"{row['id']},{row['notes'][0]},{row['question']}\n" for row in ROWS)
    (folder / "rows.csv").write_text("\ufeffid,notes,question\n" + cells)
    parquet.write_table(table, folder / "rows.parquet")
    with ipc.new_file(folder / "rows.arrow", table.schema) as writer:
        writer.write_table(table)
    with ipc.new_stream(folder / "stream.arrow", table.schema) as writer:
        writer.write_table(table)
    query = "select id, notes, question from 'rows.parquet' order by id"
    return {
        "jsonl": ("rows.jsonl",), "csv": ("rows.csv",), "parquet": ("rows.parquet",), "arrow": ("rows.arrow",),
        "stream": ("stream.arrow",), "sql": ("--sql", query), "stdin": ("-",),
        "csv on stdin": ("-", "--rows-format", "csv"),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "arrow", "stream", "sql", "stdin", "csv on stdin"])
def test_every_source_gives_the_same_requests(tmp_path: Path, form: str) -> None:
    """JSON Lines, CSV, Parquet, Arrow (file and stream), SQL and standard input."""
    words = make_inputs(tmp_path)[form]
    stdin = (tmp_path / ("rows.csv" if "csv" in form else "rows.jsonl")).read_text() if "-" in words else ""
    done = batch(tmp_path, *words, *MAPS, *OPENAI, stdin=stdin)
    assert done.code == 0, done.err
    sent = requests(tmp_path)
    assert [line["custom_id"] for line in sent] == ["a", "b", "c"]
    assert "- likes coffee" in sent[1]["body"]["instructions"]


def test_a_mapping_may_be_a_file_and_go_deep(tmp_path: Path) -> None:
    """TOML, with tables or dotted keys; the other fields of the base's agent stay."""
    (tmp_path / "map.toml").write_text('message = "q"\n[agent]\nname = "who"\n')
    rows = write_rows(tmp_path, [{"who": "Ada", "q": "Hi"}, {"who": None, "q": "Ho"}])
    done = batch(tmp_path, rows, "--map", "map.toml", *OPENAI, "--set", "agent.soul=Calm.", "--set", "agent.name=Eve")
    assert done.code == 0, done.err
    sent = requests(tmp_path)
    assert [line["custom_id"] for line in sent] == ["row-1", "row-2"]
    texts = [line["body"]["instructions"] for line in sent]
    assert "Ada" in texts[0] and "Calm." in texts[0]
    assert "Eve" in texts[1] and "Ada" not in texts[1]


def test_columns_named_like_a_field_map_by_themselves(tmp_path: Path) -> None:
    """So do `message` and `id`."""
    rows = write_rows(tmp_path, [{"id": 7, "memories": "one text", "channel": "web", "message": {"a": 1}}])
    assert batch(tmp_path, rows, *OPENAI).code == 0
    [line] = requests(tmp_path)
    assert line["custom_id"] == "7" and "- one text" in line["body"]["instructions"]
    assert '{\\"a\\":1}' in json.dumps(line["body"]["input"])


def test_a_project_lies_underneath(tmp_path: Path) -> None:
    """Without --no-discover, files of the folder are in every prompt."""
    (tmp_path / "AGENTS.md").write_text("Use tabs.")
    rows = write_rows(tmp_path, ROWS)
    place = ("--root", str(tmp_path), "--home", str(tmp_path))
    done = run("batch", "house", rows, *MAPS, *OPENAI, *place, "--out", "out", "--processes", "1", cwd=tmp_path)
    assert done.code == 0, done.err
    assert all("Use tabs." in line["body"]["instructions"] for line in requests(tmp_path))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--map", "memories=note"), "a similar column exists: `notes`"),
        (("--map", "memmories=notes"), "a similar field exists: `memories`"),
        ((), "Columns `notes` and `question` are not mapped"),
        (("--map", "memories=notes"), "Column `question` is not mapped"),
        (("--map", "memories=notes", "--ignore-column", "q*"), "A request needs a message"),
        (("--map", "memories"), "is neither FIELD=COLUMN"),
        ((*MAPS, "--format", "opanai"), "`opanai` is not one of `parquet`, `openai`"),
        ((*MAPS, "--format", "parquet", "--request", "x=1"), "--request is for requests"),
        ((*MAPS, "--format", "parquet", "--order", "prefix"), "--order prefix is for requests"),
        ((*MAPS, "--format", "anthropic"), "needs a model"),
        ((*MAPS, "--order", "prefixes"), "`prefixes` is not one of `input`, `prefix`"),
        ((*MAPS, "--processes", "0"), "`--processes`: 0 is not in the range"),
        ((*MAPS, "--sql", "select 1"), "Rows come from one place"),
        ((*MAPS, "--rows-format", "csvv"), "`csvv` is not one of `jsonl`, `csv`"),
        ((*MAPS, "--request", "x"), "`x` is not PATH=VALUE, e.g. --request generationConfig.maxOutputTokens=1024"),
        ((*MAPS, "--model", "gpt-5.4", "--engine", "ray"), "pip install 'overture[ray]'"),
    ],
)  # fmt: skip
def test_a_slip_is_an_error_before_any_work(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    """With the nearest name where there is one; nothing is written."""
    provider = () if "--format" in words else ("--format", "gemini")
    # `pi` puts nothing into the user's message.
    given = ("batch", "pi", write_rows(tmp_path, ROWS), "--no-discover", "--out", "out", *words, *provider)
    done = run(*given, cwd=tmp_path)
    assert done.code == 2 and done.out == ""
    assert says in done.err, done.err
    assert not (tmp_path / "out").exists()


def test_an_empty_message_fails_and_a_private_column_is_noted(tmp_path: Path) -> None:
    """Also where the recipe itself adds to the user's message; for the public, memories are in no prompt."""
    rows = write_rows(
        tmp_path, [{"id": "a", "notes": ["n"], "question": " "}, {"id": "b", "notes": ["n"], "question": "?"}]
    )
    done = run(
        "batch", "house", rows, "--no-discover", "--out", "out", *MAPS, "--format", "gemini", "--audience", "public",
        cwd=tmp_path,
    )  # fmt: skip
    assert (done.code, codes(tmp_path)) == (0, {1: "no-message"}), done.err
    assert "note: memories is in no prompt: the audience is public." in done.out


def test_a_row_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    """Each with its number, id, code and a sentence."""
    good = {"id": "x", "notes": ["n"], "question": "?"}
    rows = write_rows(tmp_path, [
        good, {"id": "y", "question": "no notes"}, {**good, "id": "z", "notes": 5}, {**good, "id": "x"},
        {**good, "id": "no message", "question": None}, {**good, "id": "w", "more": 1}, {**good, "id": "last"},
    ])  # fmt: skip
    with rows.open("ab") as file:
        file.write(b'[1]\n{bad\n\n{"id": "\xff"}\n')
    done = batch(
        tmp_path, rows, *MAPS, "--ignore-column", "more*", *OPENAI[:1], "anthropic", "--model", "claude-opus-5"
    )
    assert done.code == 0, done.err
    assert codes(tmp_path) == {
        2: "missing-column", 3: "bad-value", 4: "duplicate-id", 5: "bad-id", 8: "not-an-object", 9: "not-json",
        11: "not-utf-8",
    }  # fmt: skip
    assert [line["custom_id"] for line in requests(tmp_path)] == ["x", "w", "last"]
    assert errors(tmp_path)[2] == {
        "row": 4, "id": "x", "code": "duplicate-id", "message": "An earlier row has the same id.",
    }  # fmt: skip
    assert "failed: 7 rows (" in done.out and "out/errors.jsonl" in done.out


def test_a_column_that_appears_later_fails_its_row(tmp_path: Path) -> None:
    """The first rows say which columns there are. The error of a field's name says so."""
    more = [{"message": "m", "other": 1}, {"message": "m"}, {"message": "m", "memories": ["n"]}]
    rows = [{"message": "m"}] * 1_000 + more
    assert batch(tmp_path, write_rows(tmp_path, rows), *OPENAI).code == 0
    assert codes(tmp_path) == {1_001: "unknown-column", 1_003: "unknown-column"}
    assert len(requests(tmp_path)) == 1_001
    other, late = (each["message"] for each in errors(tmp_path))
    assert "no field of the state has this name" in other
    assert "is in none of the first rows" in late and "no field" not in late


def test_rows_of_which_none_is_built_are_an_error(tmp_path: Path) -> None:
    """Exit 2: never 0 with an empty product."""
    done = batch(tmp_path, write_rows(tmp_path, [[1], {"message": None}]), *OPENAI)
    assert done.code == 2
    assert codes(tmp_path) == {1: "not-an-object", 2: "no-message"}


@pytest.mark.parametrize(("name", "text"), [("a.jsonl", ""), ("b.jsonl", "\n" * 3_000), ("c.csv", "id,message\n")])
def test_an_input_without_rows_is_an_error(tmp_path: Path, name: str, text: str) -> None:
    """Exit 2, and nothing is written; blank lines before the first row are none."""
    (tmp_path / name).write_text(text)
    done = batch(tmp_path, name, *OPENAI)
    assert done.code == 2 and f"`{name}` has no rows" in done.err and not (tmp_path / "out").exists()
    (tmp_path / name).write_text(text + "x,hi\n" if name == "c.csv" else text + '{"message": "hi"}\n')
    assert batch(tmp_path, name, *OPENAI).code == 0 and len(requests(tmp_path)) == 1


def test_one_nearest_name_for_a_field(tmp_path: Path) -> None:
    """Also within a field; no list of all fields beside it."""
    rows = write_rows(tmp_path, ROWS)
    for given, nearest in {"memry=notes": "memories", "agent.nme=notes": "name", "mesage=notes": "message"}.items():
        done = batch(tmp_path, rows, "--map", given)
        assert done.code == 2 and done.err.count("similar field exists") == 1 and f"`{nearest}`" in done.err
        assert "Did you mean" not in done.err and "It has" not in done.err, done.err
    done = batch(tmp_path, rows, "--map", "zzzz=notes")
    assert "`overture schema state` lists the fields" in done.err


@pytest.mark.slow
def test_a_row_of_20_megabytes(tmp_path: Path) -> None:
    """It is built, or fails alone where it does not fit the model; the others go on either way."""
    rows = write_rows(tmp_path, [{"message": "m"}, {"message": "tide " * 4_000_000}, {"message": "m"}])
    assert batch(tmp_path, rows, *OPENAI, "--tokenizer", "estimate").code == 0
    assert codes(tmp_path) == {2: "over-window"}
    assert len(requests(tmp_path)) == 2
    assert batch(tmp_path, rows, "--format", "gemini", "--out", "free", "--tokenizer", "estimate").code == 0
    lines = (tmp_path / "free" / "requests-0001.jsonl").read_bytes().splitlines()
    assert [len(line) > 20_000_000 for line in lines] == [False, True, False]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "stream.arrow"])
def test_a_truncated_file_is_an_error(tmp_path: Path, name: str) -> None:
    """It names the file, and no traceback is shown."""
    make_inputs(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-40])
    done = batch(tmp_path, name, *MAPS, *OPENAI)
    assert done.code == 2
    assert f"error: `{name}` can't be read" in done.err or f"'{name}' can't be read" in done.err, done.err
    assert "Traceback" not in done.err


def test_a_query_that_fails_is_an_error(tmp_path: Path) -> None:
    """With DuckDB's own words."""
    done = batch(tmp_path, "--sql", "select nonsense", *OPENAI)
    assert done.code == 2 and "The query failed" in done.err and "nonsense" in done.err


def test_csv_with_bad_rows(tmp_path: Path) -> None:
    """Too few cells, or bytes that are not UTF-8, fail their row; a cell may have line feeds."""
    (tmp_path / "rows.csv").write_bytes(b'id,message\na,"two\nlines"\nb\nc,\xff\nd,fine\n')
    assert batch(tmp_path, "rows.csv", *OPENAI).code == 0
    assert codes(tmp_path) == {2: "not-an-object", 3: "not-utf-8"}
    assert "1 cells for 2 columns" in errors(tmp_path)[0]["message"]
    assert [line["custom_id"] for line in requests(tmp_path)] == ["a", "d"]


def test_a_budget_truncates_rows(tmp_path: Path) -> None:
    """The manifest says how many, and in which sections; a row that can't be met fails alone."""
    rows = write_rows(tmp_path, [{"memories": ["short"]}, {"memories": ["tide " * 50] * 20}])
    done = batch(tmp_path, rows, "--budget", "300", "--json")
    manifest = done.json()
    assert manifest["truncated"] == 1 and manifest["truncated_sections"] == {"memories": 1}
    assert all(
        tokens <= 300 for tokens in parquet.read_table(tmp_path / "out" / "prompts-00001.parquet")["tokens"].to_pylist()
    )


def test_a_budget_that_cannot_be_met_ends_as_build_does(tmp_path: Path) -> None:
    """Exit 1, for all rows or for one; where other rows fail too and none is built, 2."""
    rows = write_rows(tmp_path, [{"agent": {"name": "Ada"}}, {"agent": {"name": "tide " * 400}}])
    build = run("build", "house", "--no-discover", *NOW, "--budget", "1")
    over = batch(tmp_path, rows, "--budget", "1")
    assert over.code == build.code == 1 and "2 over-budget" in over.out
    some = batch(tmp_path, rows, "--budget", "200", "--out", "some")
    assert some.code == 1 and "1 prompt in" in some.out and "1 over-budget" in some.out
    write_rows(tmp_path, [{"agent": {"name": "Ada"}}, {"agent": 5}])
    assert batch(tmp_path, rows, "--budget", "1", "--out", "mixed").code == 2


@pytest.mark.slow
def test_order_prefix_puts_rows_together_that_begin_alike(tmp_path: Path) -> None:
    """Rows of one agent are neighbours, each in the order of the input; nothing else changes."""
    rows = [{"id": f"{n}", "agent": {"name": f"Agent {n % 3}"}, "message": f"m{n}"} for n in range(2_500)]
    path = write_rows(tmp_path, rows)
    assert batch(tmp_path, path, *OPENAI, "--order", "prefix").code == 0
    sent = requests(tmp_path)
    ids = [int(line["custom_id"]) for line in sent]
    assert sorted(ids) == list(range(2_500))
    groups = [ids[at] % 3 for at in range(2_500) if at == 0 or ids[at] % 3 != ids[at - 1] % 3]
    assert sorted(groups) == [0, 1, 2]
    assert all(a < b for a, b in pairwise(ids) if a % 3 == b % 3)


@pytest.mark.slow
def test_files_are_split_by_the_providers_limit(tmp_path: Path) -> None:
    """Requests are shared out evenly, so that no file is left with fewer than a provider asks for."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"message": "{n}"}}\n' for n in range(50_010)))
    done = run("batch", "pi", path, "--no-discover", "--format", "bedrock", "--out", "out", "--json", cwd=tmp_path)
    files = done.json()["files"]
    assert [file["rows"] for file in files] == [25_005, 25_005]
    ids = [line["recordId"] for line in requests(tmp_path)]
    assert ids == [f"row-{n}" for n in range(1, 50_011)]


@pytest.mark.slow
def test_processes_do_not_change_the_result(tmp_path: Path) -> None:
    """The bytes are the same."""
    rows = [{"id": f"{n}", "memories": [f"note {n % 7}"], "message": f"m{n}"} for n in range(3_000)]
    path = write_rows(tmp_path, rows)
    assert batch(tmp_path, path, *OPENAI).code == 0
    assert batch(tmp_path, path, *OPENAI, "--processes", "2", "--out", "two").code == 0
    one, two = (tmp_path / name / "requests-0001.jsonl" for name in ("out", "two"))
    assert one.read_bytes() == two.read_bytes()
