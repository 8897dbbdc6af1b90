"""An audit says what agents and check say of each repository, and with --resume reads only what has changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cli.run import assert_refused, run
from tests.contract.discovery.disk import link, put
from tests.contract.discovery.repository import Repo

from .fleet import PAGE, audit, audit_process, list_paths, make_repository, read_row, read_table

KEY = "ghp_" + "R8s2Vq7LmZ4xTn6Wc1Yb9Kd3Hf5Jg0PaQeUi"


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Three repositories: plain, with agents that disagree and a long file, and with a secret."""
    top = tmp_path / "fleet"
    make_repository(top / "plain")
    long = "".join(f"- Line {number} says to keep the code simple and the tests short.\n" for number in range(900))
    make_repository(
        top / "mixed", {"AGENTS.md": long, "sub/AGENTS.md": "Be kind to tests.\n", ".cursor/rules/a.mdc": "Be kind.\n"}
    )
    make_repository(top / "team/leaky", {"AGENTS.md": f"Deploy with the token {KEY}\n"})
    return top


def test_rows_are_those_of_agents(fleet: Path, tmp_path: Path) -> None:
    """At the root each row says what `overture agents` says of the same agent and file."""
    out = tmp_path / "a.jsonl"
    audit(fleet, out=out)
    rows = [row for row in read_table(out) if (row["repository"], row["start"]) == ("mixed", ".")]
    names = sorted({row["agent"] for row in rows})
    (tmp_path / "home").mkdir()
    done = run("agents", *names, "--json", "--home", tmp_path / "home", cwd=fleet / "mixed")
    expected = {
        (agent["name"], file["path"]): (file["how"], file["reason"]["code"], file["tokens"])
        for agent in json.loads(done.stdout)["agents"]
        for file in agent["files"]
    }
    assert {(row["agent"], row["path"]): (row["how"], row["reason"], row["tokens"]) for row in rows} == expected
    head = Repo(fleet / "mixed").git("rev-parse", "HEAD")
    assert {row["commit"] for row in rows} == {head}
    assert {row["start"] for row in read_table(out) if row["repository"] == "mixed"} == {".", "sub"}


def test_verdicts_and_checks_are_findings(fleet: Path, tmp_path: Path) -> None:
    """What never arrives or is cut is a finding beside those of check, each with its place."""
    make_repository(fleet / "apart", {"AGENTS.md": "Use tabs in all files.\n", "CLAUDE.md": "Use two spaces here.\n"})
    summary = audit(fleet, out=tmp_path / "a.jsonl")
    found = {(row["repository"], row["code"], row["path"]) for row in read_table(tmp_path / "a.jsonl", "findings")}
    assert {("mixed", "truncated", "AGENTS.md"), ("team/leaky", "secret", "AGENTS.md")} <= found
    worst = {each["repository"]: each["codes"] for each in summary["worst"]}
    assert worst["team/leaky"] == {"secret": 1} and worst["mixed"]["truncated"] >= 1
    assert "plain" not in worst and summary["worst"][0]["repository"] == "team/leaky"


def test_a_collection_of_skills_is_not_ranked(tmp_path: Path) -> None:
    """Skills that agents here are not meant to read are nothing to do."""
    skill = "---\nname: {0}\ndescription: Does {0}, when somebody asks for it.\n---\nDo {0}.\n"
    make_repository(tmp_path / "skills", {f"skills/{name}/SKILL.md": skill.format(name) for name in "abcdefgh"})
    summary = audit(tmp_path / "skills", out=tmp_path / "a.jsonl")
    assert (summary["repositories"], summary["worst"], summary["failed"]) == (1, [], [])


def test_tokens_are_those_at_the_root(fleet: Path, tmp_path: Path) -> None:
    """Of each agent in use: what it gets in the repositories, each file once however many starts there are."""
    summary = audit(fleet, out=tmp_path / "a.jsonl")
    rows = [row for row in read_table(tmp_path / "a.jsonl") if (row["agent"], row["start"]) == ("codex", ".")]
    loaded: dict[str, int] = {}
    for row in rows:
        if row["how"] in ("loaded", "truncated", "listed"):
            loaded[row["repository"]] = loaded.get(row["repository"], 0) + row["tokens"]
    codex = next(each for each in summary["tokens"] if each["agent"] == "Codex")
    assert (codex["repositories"], codex["maximum"], codex["largest"]) == (3, max(loaded.values()), "mixed")


def test_a_secret_is_named_and_never_written(fleet: Path, tmp_path: Path) -> None:
    """Its place is a row, and in no file of the output is the secret itself."""
    out = tmp_path / "out/a.jsonl"
    out.parent.mkdir()
    audit(fleet, "--html", out.with_name("page.html"), out=out)
    places = [(row["repository"], row["path"], row["line"]) for row in read_table(out, "findings")]
    assert ("team/leaky", "AGENTS.md", 1) in places
    assert not [path.name for path in out.parent.iterdir() if KEY.encode() in path.read_bytes()]


def test_uncommitted_changes_are_not_seen(tmp_path: Path) -> None:
    """A checkout is audited at its HEAD."""
    repo = make_repository(tmp_path / "p", {"AGENTS.md": "Use tabs.\n"})
    repo.write({"AGENTS.md": "Changed.\n", "CLAUDE.md": "New.\n"})
    audit(tmp_path / "p", out=tmp_path / "a.jsonl")
    assert list_paths(tmp_path / "a.jsonl") == {"AGENTS.md"}


def test_resume_reads_only_other_commits(fleet: Path, tmp_path: Path) -> None:
    """The rows of what is known stay; without --resume everything is read again."""
    out = tmp_path / "a.jsonl"
    assert audit(fleet, "--resume", out=out)["read"] == 3
    before = read_table(out)
    assert audit(fleet, "--resume", out=out)["read"] == 0 and read_table(out) == before
    Repo(fleet / "plain").commit("Second", {"CLAUDE.md": "Use spaces.\n"})
    assert audit(fleet, "--resume", out=out)["read"] == 1
    assert list_paths(out, "plain") == {"AGENTS.md", "CLAUDE.md"}
    assert audit(fleet, out=out)["read"] == 3


def test_half_a_line_of_the_cache_is_read_again(fleet: Path, tmp_path: Path) -> None:
    """A run that was killed while it wrote loses that repository alone."""
    out = tmp_path / "a.jsonl"
    audit(fleet, out=out)
    before, cache = read_table(out), tmp_path / "a.jsonl.cache"
    cache.write_bytes(cache.read_bytes()[:-40])
    assert audit(fleet, "--resume", out=out)["read"] == 1
    assert read_table(out) == before and audit(fleet, "--resume", out=out)["read"] == 0


def test_copies_that_drifted_apart_are_grouped(tmp_path: Path) -> None:
    """Across repositories and within one; files that are all the same, and short ones, are no finding."""
    for name, text in {"a": PAGE, "b": f"{PAGE}\nOne more.", "c": "Something else.\n" * 9, "d": PAGE}.items():
        make_repository(tmp_path / "fleet" / name, {"AGENTS.md": text, "CLAUDE.md": "@AGENTS.md\n"})
    [group] = audit(tmp_path / "fleet", out=tmp_path / "a.jsonl")["drifted"]
    assert (group["copies"], group["versions"]) == (3, 2)
    assert sorted(group["places"]) == ["a:AGENTS.md", "b:AGENTS.md", "d:AGENTS.md"]


def fetch_rows(database: Any, source: str) -> list[dict[str, Any]]:
    """The rows of a table or a file."""
    found = database.execute(f"select * from {source}")
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_each_form_has_the_same_rows(fleet: Path, tmp_path: Path) -> None:
    """A database has three tables with typed columns; Parquet and JSONL a file for each."""
    import duckdb  # here, as at its end it complains about all that is still alive when tests are collected

    for name in ("a.jsonl", "a.duckdb", "b.parquet"):
        audit(fleet, out=tmp_path / name)
    tables = {table: read_table(tmp_path / "a.jsonl", table) for table in ("uses", "findings", "repositories")}
    assert all(tables.values())
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        assert {table: fetch_rows(database, table) for table in tables} == tables
    with duckdb.connect() as database:
        assert fetch_rows(database, f"'{tmp_path}/b.parquet'") == tables["uses"]
        assert fetch_rows(database, f"'{tmp_path}/b.findings.parquet'") == tables["findings"]


def test_a_fleet_without_findings_has_empty_tables(tmp_path: Path) -> None:
    """Also as a database."""
    import duckdb

    Repo(tmp_path / "p").commit("First", {"main.py": "print(1)\n"})
    audit(tmp_path / "p", out=tmp_path / "a.duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        assert (fetch_rows(database, "uses"), fetch_rows(database, "findings")) == ([], [])
        assert [row["status"] for row in fetch_rows(database, "repositories")] == ["ok"]


def test_fail_on_ends_with_1(fleet: Path, tmp_path: Path) -> None:
    """For a code, the beginning of one, or a severity; a word that is no code is refused before any work."""
    for word, code in {"secret": 1, "error": 1, "trunc": 1, "loaded-twice": 0}.items():
        audit(fleet, "--fail-on", word, out=tmp_path / f"{word}.jsonl", code=code)
    assert_refused(audit_process(fleet, "--fail-on", "secrets", out=tmp_path / "a.jsonl"), "No check named", "secret")
    assert not (tmp_path / "a.jsonl").exists()


def test_an_ignored_finding_fails_nothing(tmp_path: Path) -> None:
    """A comment in a file ignores it."""
    text = f"<!-- overture: ignore secret: it is an example -->\nUse {KEY}\n"
    make_repository(tmp_path / "p", {"AGENTS.md": text})
    audit(tmp_path / "p", "--fail-on", "secret", out=tmp_path / "a.jsonl")


def test_settings_of_a_repository_are_not_trusted(tmp_path: Path) -> None:
    """Its overture.toml ignores no check, and nothing that it names is read or run."""
    toml = 'recipe = "pi"\nextensions = ["evil.py"]\n[check]\nignore = ["secret"]\n'
    make_repository(
        tmp_path / "p", {"AGENTS.md": f"Use {KEY}\n", "overture.toml": toml, "evil.py": "raise SystemExit(9)"}
    )
    audit(tmp_path / "p", "--fail-on", "secret", out=tmp_path / "a.jsonl", code=1)


@pytest.mark.slow
def test_two_processes_give_the_same_rows(fleet: Path, tmp_path: Path) -> None:
    """In whatever order chunks are done."""
    for number in range(20):
        make_repository(fleet / f"more{number}", {"AGENTS.md": f"Use {number} tabs.\n"})
    audit(fleet, out=tmp_path / "one.jsonl")
    done = run("audit", fleet, "--out", tmp_path / "two.jsonl", "--processes", "2")
    assert done.returncode == 0, done.stderr
    for table in ("uses", "findings"):
        assert read_table(tmp_path / "one.jsonl", table) == read_table(tmp_path / "two.jsonl", table)


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    """What it points to on this machine is in no row."""
    put(tmp_path / "outside.md", f"{PAGE}\n")
    repo = Repo(tmp_path / "p")
    link(repo.folder / "AGENTS.md", tmp_path / "outside.md")
    repo.commit("Link")
    audit(tmp_path / "p", out=tmp_path / "a.jsonl")
    assert all(row["how"] == "skipped" for row in read_table(tmp_path / "a.jsonl"))
    assert read_row(tmp_path / "a.jsonl", "p")["status"] == "ok"
