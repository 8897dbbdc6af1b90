"""How well references are judged in public repositories: `python -m tests.corpus.evaluate_references FOLDER`.

FOLDER has a checkout in each of its folders. The findings go to a file of JSON lines (`--out`), to be classified; those
that are classified in references.jsonl give the precision. Recall is that of files which are taken away from the tree
although a text names them (`planted`), and of files that git deleted while a text went on naming them (`history`).
"""

import json
import random
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from posixpath import basename, dirname, join, normpath
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from overture.agents.table import ask, list_starts, make_table, open_agents_in
from overture.check.commands import check_commands
from overture.check.input import CheckedFile, CheckInput, read_agents_input
from overture.check.project_tree import ProjectTree, list_above
from overture.check.references import (
    Mention,
    Subject,
    check_references,
    drop_ignored,
    find_imports,
    find_in_subject,
    find_mentions,
    find_missing,
    find_tree,
    list_subjects,
)

LABELS = Path(__file__).parent / "references.jsonl"
MAX_PLANTED = 40
"""Files that are taken away in each repository, one after the other."""
MAX_TEXTS = 60
"""Texts of a repository whose history is read."""
MAX_COMMITS = 4000
MAX_VERSIONS = 40


class Recall(NamedTuple):
    """How many references that lead to nothing were found."""

    kind: str
    warnings: int = 0
    notes: int = 0
    missed: int = 0

    def line(self) -> str:
        """The figures in a line of a table."""
        total = self.warnings + self.notes + self.missed
        share = f"{(self.warnings + self.notes) / total:.2f}" if total else ""
        return f"| {self.kind} | {total} | {self.warnings} | {self.notes} | {self.missed} | {share} |"


def collect(folder: Path, home: Path) -> CheckInput:
    """The files that `overture check` reads there."""
    question = ask(open_agents_in(folder, home), shared=True)
    return read_agents_input(question, make_table(question, list_starts(question.files, str(folder))))


def find_rows(folder: Path, inputs: CheckInput, tree: ProjectTree) -> Iterator[dict[str, Any]]:
    """The findings of a repository, each with its line."""
    commit = git(folder, "rev-parse", "HEAD").strip()
    targets = {
        (m.subject.page.path, m.mention.line, m.mention.column): m.mention.target
        for m in find_missing(tree, inputs.pages)
    }
    for each in (*check_references(inputs), *check_commands(inputs)):
        path = (each.path or "").removeprefix(f"{tree.root}/")
        lines = (folder / path).read_text("utf-8", "replace").split("\n")
        yield {
            "repository": folder.name.replace("__", "/"), "commit": commit, "code": each.code,
            "severity": each.severity, "path": path, "line": each.line,
            "target": targets.get((each.path or "", each.line or 0, each.column or 0), ""), "message": each.message,
            "text": lines[each.line - 1][:300] if each.line and each.line <= len(lines) else "",
        }  # fmt: skip


def list_named(subject: Subject) -> Iterator[Mention]:
    """The files that a text names."""
    yield from find_imports(subject.page)
    yield from find_mentions(subject.page)


def find_named_file(tree: ProjectTree, subject: Subject, mention: Mention) -> str | None:
    """The one tracked file that a mention leads to."""
    bases = subject.folders if mention.code != "missing-path" else (*subject.folders, *list_above(subject.folders[-1]))
    paths = (normpath(join(base, mention.target)) for base in bases)
    if found := next((path for path in paths if path in tree.files), None):
        return found
    ends = tree.list_ends(mention.target.removeprefix("./")) if mention.code == "missing-path" else []
    return ends[0] if len(ends) == 1 and ends[0] in tree.files else None


def is_found(tree: ProjectTree, subject: Subject, mention: Mention) -> int:
    """How sure the check is that a mention leads to nothing; 0: it reports nothing."""
    found = [m for m in find_in_subject(tree, subject) if m.mention[:4] == mention[:4]]
    sure = max((m.sure for m in drop_ignored(tree, found)), default=0)
    return sure


def change_tree(tree: ProjectTree, files: frozenset[str]) -> ProjectTree:
    """The same tree with other files."""
    changed = ProjectTree(tree.world, tree.root)
    changed.__dict__["files"] = files
    return changed


def plant(tree: ProjectTree, subjects: list[Subject], seed: str) -> Counter[int]:
    """Take away, or rename, files that texts name; the result is how sure the check is of each."""
    named = [(s, m, path) for s in subjects for m in list_named(s) if (path := find_named_file(tree, s, m))]
    chosen = random.Random(seed)  # the same choice each time
    counts: Counter[int] = Counter()
    for at, (subject, mention, path) in enumerate(chosen.sample(named, min(MAX_PLANTED, len(named)))):
        new = {join(dirname(path), f"renamed-{basename(path)}")} if at % 2 else set()
        counts[is_found(change_tree(tree, tree.files - {path} | new), subject, mention)] += 1
    return counts


def read_history(folder: Path, tree: ProjectTree, subjects: list[Subject]) -> Counter[int]:
    """Of files that git deleted or renamed while a text named them, how sure the check was at that commit."""
    log = git(folder, "log", "--first-parent", f"-n{MAX_COMMITS}", "--format=%H").split()
    order = {commit: at for at, commit in enumerate(log)}
    gone = defaultdict[str, list[tuple[int, str]]](list)  # by the last step of the path
    words = ("--first-parent", "-m", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
    commit = ""
    for part in git(folder, "log", *words, f"-n{MAX_COMMITS}").split("\0"):
        name = part.strip("\n")
        if name.startswith("\1"):
            commit = name[1:41]
        elif name and commit in order:
            gone[basename(name)].append((order[commit], name))
    counts: Counter[int] = Counter()
    texts = {normpath(join(each.folders[-1], basename(each.page.path))): each for each in subjects[:MAX_TEXTS]}
    versions = list_versions(folder, [*texts])
    for path, subject in texts.items():
        until, known = 0, set[str]()  # the newest first: each version was there until the one after it
        for version in versions[path][:MAX_VERSIONS]:
            since = order.get(version, len(log))
            text = git(folder, "show", f"{version}:{path}")
            page = CheckedFile(subject.page.path, text, subject.page.kind)
            then = subject._replace(page=page)
            for mention in list_named(then):
                ref = normpath(mention.target)
                for at, name in gone.get(basename(ref), ()):
                    if not until <= at < since or name in known or not f"/{name}".endswith(f"/{ref.lstrip('./')}"):
                        continue
                    files = frozenset(git(folder, "ls-tree", "-r", "--name-only", "-z", log[at]).split("\0")[:-1])
                    if find_named_file(change_tree(tree, files | {name}), then, mention) == name:
                        known.add(name)
                        after = change_tree(tree, files)
                        # A folder that was moved as a whole still has paths with this end, which count as there.
                        is_moved = mention.code == "missing-path" and after.list_ends(ref)
                        counts[-1 if is_moved else is_found(after, then, mention)] += 1
            until = since
    return counts


def list_versions(folder: Path, paths: list[str]) -> dict[str, list[str]]:
    """The commits that changed each of these files, the newest first."""
    versions, commit = defaultdict[str, list[str]](list), ""
    words = ("--first-parent", "-m", "--no-renames", "--name-only", "-z", "--format=%x01%H", f"-n{MAX_COMMITS}")
    for part in git(folder, "log", *words, "--", *paths).split("\0"):
        name = part.strip("\n")
        if name.startswith("\1"):
            commit = name[1:41]
        elif name:
            versions[name].append(commit)
    return versions


def git(folder: Path, *words: str) -> str:
    """What git answers."""
    done = subprocess.run(["git", "-C", folder, *words], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "surrogateescape")


def read_labels() -> dict[tuple[str, ...], dict[str, Any]]:
    """What was classified, by what identifies a finding."""
    rows = [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()] if LABELS.exists() else []
    return {identify(row): row for row in rows}


def identify(row: dict[str, Any]) -> tuple[str, ...]:
    """What a finding is known by, in one commit."""
    return (row["repository"], row["commit"], row["code"], row["path"], str(row["line"]), row["target"])


def print_precision(rows: list[dict[str, Any]]) -> None:
    """The findings by code and severity, and how many of those that are classified are right."""
    labels, table = read_labels(), defaultdict[tuple[str, str, str], list[bool | None]](list)
    for row in rows:
        label = labels.get(identify(row), {})
        table[label.get("set", "unlabelled"), row["code"], row["severity"]].append(label.get("right"))
    for (part, code, severity), right in [*table.items()]:
        table[part, "all", severity] += right if code != "all" else []
    print("| set | code | severity | findings | right | wrong | not classified | precision |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for key, right in sorted(table.items()):
        true, false = right.count(True), right.count(False)
        share = f"{true / (true + false):.2f}" if true + false else ""
        print(f"| {' | '.join(key)} | {len(right)} | {true} | {false} | {right.count(None)} | {share} |")


def main(arguments: list[str]) -> None:
    """Check every repository, and print the figures."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="names of repositories")
    parser.add_argument("--out", type=Path, help="the file for the findings")
    parser.add_argument("--no-recall", action="store_true")
    options = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    recall = {kind: Counter[int]() for kind in ("planted", "history")}
    for folder in sorted(path for path in options.folder.resolve().iterdir() if (path / ".git").exists()):
        if options.only and folder.name not in options.only:
            continue
        with TemporaryDirectory() as home:
            inputs = collect(folder, Path(home))
        tree = find_tree(inputs)
        assert tree is not None
        start = perf_counter()
        check_references(inputs)
        seconds = perf_counter() - start
        own = [*find_rows(folder, inputs, tree)]
        rows += own
        counts = {kind: Counter[int]() for kind in recall}
        if not options.no_recall:
            subjects = [*list_subjects(tree, inputs.pages)]
            counts = {"planted": plant(tree, subjects, folder.name), "history": read_history(folder, tree, subjects)}
        for kind, each in counts.items():
            recall[kind] += each
        shown = ", ".join(f"{kind} {each[3]}+{each[2]} of {each.total() - each[-1]}" for kind, each in counts.items())
        print(f"{folder.name}: {len(own)} findings in {seconds:.2f} s; {shown}", file=sys.stderr, flush=True)
    if options.out:
        options.out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    print_precision(rows)
    print("\n| recall | references | as warnings | as notes | missed | found |\n| --- | --- | --- | --- | --- | --- |")
    for kind, each in recall.items():
        print(Recall(kind, each[3], each[2], each.total() - each[-1] - each[3] - each[2]).line())


if __name__ == "__main__":
    main(sys.argv[1:])
