"""An audit says what agents, check and context say of each repository, and reads only what has changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture import agents
from overture.audit.repository_results import TABLES
from tests.contract.cli.run import assert_refused, run
from tests.contract.discovery.disk import link, put
from tests.contract.discovery.repository import Repo

from .fleet import PAGE, audit, audit_process, make_repository, read_row, read_table

KEY = "ghp_" + "R8s2Vq7LmZ4xTn6Wc1Yb9Kd3Hf5Jg0PaQeUi"


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Three repositories: plain, with agents that disagree and a long file, and with a secret."""
    top = tmp_path / "fleet"
    make_repository(top / "plain")
    long = "".join(f"- Line {number} says to keep the code simple and the tests short.\n" for number in range(900))
    make_repository(
        top / "mixed", {"AGENTS.md": long, "CLAUDE.md": "Use spaces.\n", ".cursor/rules/a.mdc": "Be kind.\n"}
    )
    make_repository(top / "team/leaky", {"AGENTS.md": f"Deploy with the token {KEY}\n"})
    return top


def test_agents_disagree_where_each_has_a_file_that_the_other_skips(tmp_path: Path) -> None:
    """A CLAUDE.md beside another AGENTS.md is enough, whoever is set up there; an import makes them agree."""
    make_repository(tmp_path / "fleet/apart", {"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Use spaces.\n"})
    make_repository(tmp_path / "fleet/same", {"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "@AGENTS.md\n"})
    (found,) = audit(tmp_path / "fleet", out=tmp_path / "out")["disagreeing"]
    assert found["repository"] == "apart"
    assert found["note"].startswith("Claude Code, Copilot CLI and Cursor load CLAUDE.md; Codex")


def test_rows_say_what_agents_says(fleet: Path, tmp_path: Path) -> None:
    """Status and tokens of each file are those that `overture agents` reports for the same files."""
    audit(fleet, out=tmp_path / "out")
    reports = agents(cwd=fleet / "mixed", home=tmp_path / "nobody", root=fleet / "mixed")
    expected = {
        (report.name, file.path.removeprefix(f"{fleet}/mixed/"), file.tokens)
        for report in reports
        for file in report.files
        if file.status != "skipped"
    }
    rows = [row for row in read_table(tmp_path / "out", "files") if row["repository"] == "mixed"]
    assert {(row["agent"], row["path"], row["tokens"]) for row in rows if row["status"] != "skipped"} == expected
    tokens = {
        row["agent"]: row["tokens"] for row in read_table(tmp_path / "out", "agents") if row["repository"] == "mixed"
    }
    assert tokens == {"gemini-cli": 0} | {report.name: report.tokens for report in reports}


def test_a_secret_is_named_and_never_written(fleet: Path, tmp_path: Path) -> None:
    """Its place is in the summary, and in no file of the output is the secret itself."""
    out = tmp_path / "out"
    summary = audit(fleet, "--html", "out/page.html", "--markdown", "out/page.md", out=out)
    assert summary["secrets"] == [{"repository": "team/leaky", "path": "AGENTS.md", "line": 1, "agent": ""}]
    assert not [path.name for path in out.iterdir() if KEY.encode() in path.read_bytes()]


def test_uncommitted_changes_are_not_seen(tmp_path: Path) -> None:
    """A checkout is audited at its HEAD."""
    repo = make_repository(tmp_path / "p", {"AGENTS.md": "Use tabs.\n"})
    repo.write({"AGENTS.md": "Changed.\n", "CLAUDE.md": "New.\n"})
    audit(tmp_path / "p", out=tmp_path / "out")
    assert {row["path"] for row in read_table(tmp_path / "out", "texts")} == {"AGENTS.md"}


def test_copies_that_drifted_apart_are_grouped(tmp_path: Path) -> None:
    """Across repositories and within one; files that are all the same, and short ones, are no finding."""
    for name, text in {"a": PAGE, "b": f"{PAGE}\nOne more.", "c": "Something else.\n" * 9, "d": PAGE}.items():
        make_repository(tmp_path / "fleet" / name, {"AGENTS.md": text, "CLAUDE.md": "@AGENTS.md\n"})
    [group] = audit(tmp_path / "fleet", out=tmp_path / "out")["drifted"]
    assert (group["copies"], group["versions"]) == (3, 2)
    assert group["places"] == ["a:AGENTS.md", "b:AGENTS.md", "d:AGENTS.md"]
    assert 0.8 < group["similarity"] < 1


def test_files_that_nobody_reads_are_listed(tmp_path: Path) -> None:
    """A skill in a folder where none of the reported agents looks; not what a file below imports."""
    skill = "---\nname: x\ndescription: Does x.\n---\nDo x.\n"
    imports = {"CLAUDE.md": "Use tabs.\n", "docs/CLAUDE.md": "See @style.md\n", "docs/style.md": "Be brief.\n"}
    make_repository(tmp_path / "p", {"AGENTS.md": "Use tabs.\n", "skills/x/SKILL.md": skill, **imports})
    summary = audit(tmp_path / "p", out=tmp_path / "out")
    assert [each["path"] for each in summary["unread"]] == ["skills/x/SKILL.md"]
    assert read_row(tmp_path / "out", "p")["unread"] == 1


def fetch_rows(database: Any, source: str) -> list[dict[str, Any]]:
    """The rows of a table or a file."""
    found = database.execute(f"select * from {source}")
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_files_hold_the_rows_of_the_tables(fleet: Path, tmp_path: Path) -> None:
    """A database has the tables, with typed columns; JSONL and Parquet a row per repository, with lists of rows."""
    import duckdb  # here, as at its end it complains about all that is still alive when tests are collected

    audit(fleet, out=tmp_path / "lines")
    tables = {table: read_table(tmp_path / "lines", table) for table in ("repositories", *TABLES)}
    for name in ("a.duckdb", "a.parquet", "a.jsonl"):
        audit(fleet, out=tmp_path / name)
        names = sorted(path.name for path in (tmp_path / f"{name}.cache").iterdir())
        assert names == ["job.json", "results.jsonl", "summary.json"]
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        assert {table: fetch_rows(database, table) for table in tables} == tables
    nested = [
        {**row, **{
            table: [
                {name: value for name, value in each.items() if name != "repository"}
                for each in rows if each["repository"] == row["repository"]
            ]
            for table, rows in tables.items() if table != "repositories"
        }}
        for row in tables["repositories"]
    ]  # fmt: skip
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()] == nested
    with duckdb.connect() as database:
        assert fetch_rows(database, f"'{tmp_path}/a.parquet'") == nested


def test_fail_on_ends_with_1(fleet: Path, tmp_path: Path) -> None:
    """For a check, the beginning of its name, or a severity; a word that is no check is refused before any work."""
    for word, code in {"secret": 1, "error": 1, "missing-command": 0}.items():
        audit(fleet, "--fail-on", word, out=tmp_path / word, code=code)
    assert_refused(audit_process(fleet, "--fail-on", "secrets", out=tmp_path / "out"), "No check named", "secret")
    assert not (tmp_path / "out").exists()


def test_an_ignored_finding_has_a_row_and_fails_nothing(tmp_path: Path) -> None:
    """A comment in a file ignores it for the summary; the row says so."""
    text = f"<!-- overture: ignore secret: it is an example -->\nUse {KEY}\n"
    make_repository(tmp_path / "p", {"AGENTS.md": text})
    assert audit(tmp_path / "p", "--fail-on", "secret", out=tmp_path / "out")["secrets"] == []
    rows = [row for row in read_table(tmp_path / "out", "findings") if row["code"] == "secret"]
    assert [row["ignored"] for row in rows] == [True]


def test_settings_of_a_repository_are_not_trusted(tmp_path: Path) -> None:
    """Its overture.toml ignores no check, and nothing that it names is read or run."""
    toml = 'recipe = "pi"\nextensions = ["evil.py"]\n[check]\nignore = ["secret"]\n'
    make_repository(
        tmp_path / "p", {"AGENTS.md": f"Use {KEY}\n", "overture.toml": toml, "evil.py": "raise SystemExit(9)"}
    )
    assert len(audit(tmp_path / "p", out=tmp_path / "out")["secrets"]) == 1


@pytest.mark.slow
def test_two_processes_give_the_same_rows(fleet: Path, tmp_path: Path) -> None:
    """In whatever order chunks are done."""
    for number in range(20):
        make_repository(fleet / f"more{number}", {"AGENTS.md": f"Use {number} tabs.\n"})
    audit(fleet, out=tmp_path / "one")
    done = run("audit", fleet, "--out", tmp_path / "two", "--processes", "2")
    assert done.returncode == 0, done.stderr
    for table in TABLES:
        assert read_table(tmp_path / "one", table) == read_table(tmp_path / "two", table)


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    """What it points to on this machine is in no row."""
    put(tmp_path / "outside.md", f"{PAGE}\n")
    repo = Repo(tmp_path / "p")
    link(repo.folder / "AGENTS.md", tmp_path / "outside.md")
    repo.commit("Link")
    audit(tmp_path / "p", out=tmp_path / "out")
    assert read_table(tmp_path / "out", "texts") == []
