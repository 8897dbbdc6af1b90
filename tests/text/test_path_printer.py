"""One printer writes every path that a person reads."""

import pytest

from overture.text.path_printer import PathPrinter, make_root_printer, shorten_path

HERE = PathPrinter("/home/u/p/src", "/home/u")
ROOT = make_root_printer("/home/u/p", "/home/u")


@pytest.mark.parametrize(
    ("path", "here", "root"),
    [
        ("/home/u/p/src/a.md", "a.md", "src/a.md"),
        ("/home/u/p/AGENTS.md", "../AGENTS.md", "AGENTS.md"),
        ("/home/u/AGENTS.md", "../../AGENTS.md", "~/AGENTS.md"),
        ("/home/u/.codex/AGENTS.md", "~/.codex/AGENTS.md", "~/.codex/AGENTS.md"),
        ("/home/u/p2/AGENTS.md", "~/p2/AGENTS.md", "~/p2/AGENTS.md"),
        ("/etc/codex/AGENTS.md", "/etc/codex/AGENTS.md", "/etc/codex/AGENTS.md"),
        ("/home/u/p/src", ".", "src"),
        ("/home/u/p", "..", "/home/u/p"),
        ("/home/u/p/..a/b", "~/p/..a/b", "..a/b"),
        ("/AGENTS.md", "/AGENTS.md", "/AGENTS.md"),
        ("src/a.md", "src/a.md", "src/a.md"),
        ("", "", ""),
    ],
)
def test_a_path_is_written_from_where_one_is(path: str, here: str, root: str) -> None:
    """From the working directory, with a few steps up; from a project's root, with none; else with `~` or in full."""
    assert (HERE(path), ROOT(path)) == (here, root)
    assert (HERE.relative(path), ROOT.relative(path)) == (here, root)


def test_nothing_in_a_path_plays_with_the_terminal() -> None:
    """Control characters, line breaks, direction overrides and bytes that are no text are made visible."""
    path = "/home/u/p/src/a\x1b[31m\n\u202eb\udcff.md"
    assert HERE(path) == "a\\u{001B}[31m\\u{000A}\\u{202E}b\ufffd.md" == HERE(HERE(path))
    assert HERE.relative(path) == path.removeprefix("/home/u/p/src/")


@pytest.mark.parametrize("folder", ["/", "", "/p"])
def test_a_root_or_no_folder_at_all_is_no_special_case(folder: str) -> None:
    """At the root of a disk, and where no folder is known, paths stay whole."""
    printer = make_root_printer(folder)
    assert printer("/p2/a.md") == ("p2/a.md" if folder == "/" else "/p2/a.md")
    assert printer.within("it is in /p2/a.md, not in either/or") == f"it is in {printer('/p2/a.md')}, not in either/or"


def test_paths_within_a_sentence_are_written_alike() -> None:
    """Also those with a blank below the folder; a path that only begins alike is another one."""
    said = (
        "by /home/u/p/src/a b.md, /home/u/p/srcs/c.md:3 and /home/u/.codex/x.md; see https://example.org/home/u/p/src/d"
    )
    assert HERE.within(said) == "by a b.md, ~/p/srcs/c.md:3 and ~/.codex/x.md; see https://example.org/home/u/p/src/d"


def test_what_is_pasted_elsewhere_keeps_its_paths() -> None:
    """A value for a file of settings and a command lead to the same place from anywhere."""
    said = 'outside: /home/u/p/src/x.md; set extra_dirs = ["/home/u/p/src/a"], or: overture trust /home/u/p/src/b.md'
    assert HERE.within(said) == said.replace("outside: /home/u/p/src/", "outside: ")


def test_a_long_path_loses_its_beginning_where_there_is_a_width() -> None:
    """Its last names say which file it is; an indent stays."""
    assert HERE("/home/u/p/src/one/two/three.md", 10) == "…/three.md"
    assert shorten_path("  one/two/three.md", 12) == "  …/three.md"
    assert HERE("/home/u/p/src/a.md", 10) == "a.md"
