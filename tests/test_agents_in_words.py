"""Rules of agents, in words that their users would say."""

from datetime import date

import pytest
from frontmatter_in_words import conditions_in_words, imports_in_words
from limits_in_words import limit_in_words, paths_in_words, settings_in_words, variables_in_words
from names_in_words import folded, listed, plain
from rules_in_words import outside, rule_in_words
from skills_in_words import menu_in_words, places_in_words, skills_in_words
from who_reads import answer, evidence, own_prompt, signs_in_words

from overture.model.file_steps import FileLimit, FileStep, Imports, RuleConditions, SettingsFile
from overture.model.recipe.recipe import AgentFacts, OwnPrompt, Signs
from overture.model.skill_dirs import SkillDirs, SkillMenu
from overture.model.wants import Wants

DOWN = "every folder from the repository's root down to the working directory"


def called(steps: object) -> str:
    """What a page calls rules."""
    return f"rule {', '.join(steps)}"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (FileStep("s", ("A.md",)), f"In {DOWN}: `A.md`."),
        (FileStep("s", ("A.md", "B.md")), f"In {DOWN}: `A.md` and `B.md`."),
        (
            FileStep("s", ("A.md", "B.md"), take="first"),
            f"In {DOWN}, one file per folder: `A.md`, else `B.md`; an empty one hides those after it.",
        ),
        (
            FileStep("s", ("A.md", "B.md"), where="cwd", take="full"),
            "In the working directory, one file: `A.md`, else `B.md`; an empty one is skipped.",
        ),
        (
            FileStep("s", ("A.md", "B.md|C.md"), where="root"),
            "In the repository's root: `A.md` and (`B.md`, else `C.md`).",
        ),
        (FileStep("s", ("x/B.md|x/b.md",), where="root"), "In the repository's root: `x/B.md` (or `b.md`)."),
        (
            FileStep("s", ("A.md",), up="root", order="nearest"),
            "In every folder from the working directory up to the file system's root: `A.md`.",
        ),
        (FileStep("s", ("A.md",), where="home", at_home=(".x", "")), "Under home: `~/.x/A.md` and `~/A.md`."),
        (
            FileStep("s", ("A.md", "B.md"), where="home", at_home=(".x", ".y"), take="first"),
            "In `~/.x` and `~/.y`, one file per folder: `A.md`, else `B.md`; an empty one hides those after it.",
        ),
        (FileStep("s", ("/etc/A.md",), where="home"), "For the whole machine: `/etc/A.md`."),
        (
            FileStep("s", ("A.md", "~/A.md"), where="cwd"),
            "In the working directory and under home: `A.md` and `~/A.md`.",
        ),
        (
            FileStep("s", ("A.md",), where="below", tells="path"),
            "In folders below the working directory, once it works on a file there: `A.md`. "
            "It is listed: the model gets only its path and has to open it.",
        ),
        (
            FileStep("s", ("A.md",), where="cwd", unless=("B.md",), same_text="first", on=False),
            "In the working directory: `A.md`. Of files with the same text only the first is sent. Only if `B.md`, "
            "with text in it, is in none of the folders that it searches. Only if a setting enables it.",
        ),
        (FileStep("s", ()), f"In {DOWN}: the files that its settings name."),
        (
            FileStep("s", ("r/*.md", "r/*.txt"), where="cwd", order="name"),
            "In the working directory: `r/*.{md,txt}`. They are sorted by file name.",
        ),
    ],
)
def test_a_rule_is_a_sentence(rule: FileStep, words: str) -> None:
    """Where, which, and what is special about it."""
    assert rule_in_words(rule) == words


def test_one_name_for_all_folders() -> None:
    """A rule by which one name hides another everywhere says so."""
    said = rule_in_words(FileStep("s", ("A.md", "B.md"), take="name", by="name"))
    assert (
        "one name for all of them: `A.md`, else `B.md`; the first name that exists in any of the folders is used"
        in said
    )
    assert "All files of one name come before all files of the next." in said


def test_outside_a_repository() -> None:
    """A rule that looks in one folder anyway has nothing to say."""
    assert outside(FileStep("s", ("A.md",))) == "Outside a repository it searches only the working directory."
    assert outside(FileStep("s", ("A.md",), alone="up")) == "Outside a repository it also searches all folders above."
    assert outside(FileStep("s", ("A.md",), where="cwd")) == ""


def test_lists_and_folding() -> None:
    """Lists read as people say them, and a terminal gets no backticks."""
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed("abc", "or")] == ["", "a", "a and b", "a, b or c"]
    assert folded(["a/*.md", "a/*.txt", "b.md", "c/*.md"]) == ["a/*.{md,txt}", "b.md", "c/*.md"]
    assert plain("`A.md`, else `B.md`") == "A.md, else B.md"


def test_conditions() -> None:
    """Each word of the frontmatter, in the order in which it counts."""
    rule = RuleConditions(globs=("globs",), always=("alwaysApply=true",), model=("description",), bare="manual")
    assert conditions_in_words(rule) == [
        "With `alwaysApply: true`: it is always loaded.",
        "With patterns in `globs`: it is loaded on demand, when the agent works on a matching file.",
        "With `**` as the only pattern: it is always loaded.",
        "Patterns are relative to the repository's root.",
        "With `description`: it is loaded on demand: the model gets its description and asks for it.",
        "With none of these: it is loaded only when you name it.",
        "With invalid frontmatter: it is loaded as if it had none.",
    ]
    rule = RuleConditions(globs=("paths",), never=("off=true",), broken="never")
    assert conditions_in_words(rule, "continue-cli")[:2] == [
        "With `off: true`: it is skipped, whatever else it says.",
        "A rule with patterns is skipped, whatever files the agent works on.",
    ]


def test_imports() -> None:
    """Where the file goes, how deep, how far, and what stands in its place."""
    said = imports_in_words(Imports(5, home=True, missing="<!-- no {path} -->", refused="no", again="again"))
    assert said == [
        "`@path` imports that file in the place of `@path`; at most 5 files deep.",
        "The path is relative to the importing file, or begins with `~/` or `/`; it must stay within the project.",
        "It is not an import in code in backticks, HTML comments or code blocks of `~~~`.",
        "White space, `(` or `>` must precede it.",
        "For a file that does not exist it writes `<!-- no {path} -->`.",
        "For a file that may not be imported it writes `no`.",
        "For a file that is already imported it writes `again`.",
    ]


def test_what_stands_around_an_import() -> None:
    """The agent's own words before and after it are shown."""
    said = imports_in_words(Imports(1, "after", "cwd", before="<a {path}>\n", after="\n</a>"), "goose")
    assert "Its text is framed by `<a {path}>` and `</a>`." in said
    assert "In files of more than 131,072 bytes `@path` has no effect." in said


def test_limits() -> None:
    """How much, of what, and whether the model is told of the rest."""
    silent = limit_in_words(FileLimit("l", ("a",), 32768, "bytes"), called)
    assert silent == ("32,768 bytes (32 KiB) of all files together (rule a). The rest is dropped silently.")
    assert "12,000 characters of each file" in limit_in_words(FileLimit("l", ("a",), 12000, over="file"), called)
    assert "and the model gets a notice: `[cut]`" in limit_in_words(FileLimit("l", ("a",), 9, says="[cut]"), called)


def test_settings_and_variables() -> None:
    """Each key says what it changes, and a folder that moves says from where."""
    file = SettingsFile(
        ("~/.x/c.toml", "c.toml"),
        {"names": "a.names b.names", "more": "a.names+", '"x.y"': "a.on", "k=v": "a.off", "n": "limits.l", "q": ""},
        "walk",
    )
    assert paths_in_words(file) == "`~/.x/c.toml`, then `c.toml` in every folder from the repository's root down"
    assert settings_in_words(file, called) == [
        ("`names`", "sets the names of rule a, b"),
        ("`more`", "adds names to rule a"),
        ("`x.y`", "enables or disables rule a"),
        ("`k` = `v`", "disables rule a"),
        ("`n`", "sets the limit"),
        ("`q`", "may change what is loaded; Overture only reports that it is set"),
    ]
    wants = Wants(moves={"folder": "X_HOME/x"}, environment={"X_MENU": "menu.most"})
    assert variables_in_words(wants, {"folder": ".x"}, called) == [
        ("`X_HOME`", "with `/x` behind it replaces `~/.x`"),
        ("`X_MENU`", "sets the limit for the list of skills"),
    ]


def test_skills() -> None:
    """Places in their order, what a skill needs, and the room of the menu."""
    skills = SkillDirs(
        (".x/skills",), home=(".x/skills", "/etc/x"), where="walk", home_first=True, needs=("yaml", "name")
    )
    assert places_in_words(skills) == [
        "under home: `~/.x/skills`",
        "for the whole machine: `/etc/x`",
        "`.x/skills`, in every folder from the working directory up to the repository's root",
    ]
    assert "It is listed if it has valid YAML as frontmatter (if any) and a `name`." in skills_in_words(skills)
    assert menu_in_words(None) == "No limit of its list is known."
    assert menu_in_words(SkillMenu(900, 80, "...")) == (
        "The list has 80 characters of each description, then `...`, and 900 characters in all; "
        "over it, skills are listed by name only."
    )
    assert menu_in_words(SkillMenu(900, bare_most=50)) == (
        "The list has 900 characters in all; over it, skills are listed by name only, within 50 more characters."
    )


def test_how_it_is_known() -> None:
    """A run has a version; a source and a documentation have their own date in it."""
    facts = AgentFacts("X", "1.2", date(2026, 1, 2), "run")
    assert [evidence(None, facts), evidence("docs", facts)] == ["seen in a run of 1.2", "documented by its vendor"]
    assert evidence(None, AgentFacts("X", "source of 2026-01-02", date(2026, 1, 2), "code")) == (
        "read in its source of 2026-01-02"
    )
    assert signs_in_words(Signs((".x", "X.md"), (".x",), ("x",))) == (
        "`.x` or `X.md` in a project; `~/.x`; the program `x`"
    )
    assert own_prompt(OwnPrompt()) == "not measured"
    assert own_prompt(OwnPrompt(1500, 3, 200)) == "about 1,500 characters; 3 tools of about 200 characters"


@pytest.mark.parametrize(
    ("name", "reads", "words"),
    [
        ("A.md", "yes", f"in {DOWN}; in the working directory, if `use` is on"),
        ("B.md", "if", f"in {DOWN}, if there is no `A.md` beside it"),
        ("C.md", "later", "in folders below the working directory, once it works on a file there"),
        ("d.MD", "yes", "in the repository's root"),
        ("E.md", "if", "in the working directory, if there is no `A.md`"),
        ("F.md", "if", "in the working directory, if `use` is on"),
        ("G.md", "setting", "once `more` names it"),
        ("r/*.md", "if", "in the repository's root, depending on its frontmatter"),
        ("s/*.md", "no", ""),
    ],
)
def test_who_reads_a_file(name: str, reads: str, words: str) -> None:
    """Whole, under a condition that is named, later, by a setting, or not at all."""
    rules = (
        FileStep("s", ("A.md", "B.md"), take="first"),
        FileStep("l", ("C.md",), where="below"),
        FileStep("c", ("D.md",), where="root", case="any"),
        FileStep("u", ("E.md",), where="cwd", unless=("A.md",)),
        FileStep("f", ("A.md", "F.md"), where="cwd", on=False),
        FileStep("r", ("r/*.md",), where="root", conditions=RuleConditions()),
    )
    wants = Wants(files=rules, settings_files=(SettingsFile(("c",), {"use": "f.on", "more": "s.names+"}),))
    assert (answer(wants, name).reads, answer(wants, name).words) == (reads, words)
