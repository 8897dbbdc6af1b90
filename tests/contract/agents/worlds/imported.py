"""Worlds that ask which files can be imported, and how much of an imported file arrives."""

from .files import write_data
from .names import MAIN
from .places import ROOT
from .tree import Tree
from .world import World

ENDINGS = (
    *("md", "mdc", "mdx", "markdown", "txt", "text", "rst", "rest", "adoc", "asciidoc", "org", "tex", "latex", "wiki"),
    *("json", "jsonc", "json5", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "config", "properties", "env"),
    *("xml", "csv", "tsv", "html", "htm", "xhtml", "svg", "css", "scss", "sass", "less", "vue", "svelte", "astro"),
    *("ejs", "hbs", "pug", "jade", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "d.ts", "py", "pyi", "pyw"),
    *("ipynb", "rb", "erb", "rake", "go", "rs", "c", "h", "cc", "cpp", "cxx", "hpp", "hxx", "hh", "m", "cs", "swift"),
    *("java", "kt", "kts", "scala", "sbt", "gradle", "groovy", "clj", "cljs", "cljc", "edn", "ex", "exs", "erl", "hrl"),
    *("hs", "lhs", "elm", "ml", "mli", "fs", "vb", "php", "pl", "pm", "lua", "r", "jl", "dart", "nim", "zig", "f"),
    *("f90", "f95", "for", "asm", "sql", "prisma", "graphql", "gql", "proto", "sh", "bash", "zsh", "fish", "ps1"),
    *("bat", "cmd", "vim", "nix", "tf", "hcl", "bzl", "cmake", "make", "makefile", "mk", "dockerfile", "lock", "log"),
    *("diff", "patch", "rules", "cursorrules", "prompt", "tmpl", "j2", "sol", "local", "example", "bak", "pdf", "png"),
)
OTHER_NAMES = (
    *("Makefile", "LICENSE", "CODEOWNERS", "dot.", ".env", ".gitignore", ".cursorrules", ".hidden.md", ".env.local"),
    *("upper.MD", "upper.TXT", "upper.MDC", "two.mdc.md", "two.md.mdc", "v1.2"),
)
NAMES = (*(f"file.{ending}" for ending in ENDINGS), *OTHER_NAMES)
ENDS_FRONT = ("md", "txt", "yaml", "html", "py")
"""Endings of files that begin with frontmatter."""


def _write_importers(tree: Tree, names: tuple[str, ...]) -> None:
    """Main files that import each of the names in docs."""
    for main in MAIN:
        docs = "../" * main.count("/") + "docs"
        lines = [line for name in names for line in ("", f"@{docs}/{name}")]
        tree.lines("root", main, ["{mark} first", *lines, "", "{mark} last"])


def endings(tree: Tree) -> None:
    """A file for each ending, imported by each main file."""
    write_data(tree)
    for name in NAMES:
        tree.lines("root", f"docs/{name}", ["{mark} imported"])
    _write_importers(tree, NAMES)


def front(tree: Tree) -> None:
    """Frontmatter and comments in imported files, one behind the other, broken, and in files that a link leads to."""
    write_data(tree)
    head = ["---", "title: {mark}", "---", "", "{mark} text"]
    body = [*head, "", "<!-- {mark} on a line of its own -->", "", "Text <!-- {mark} within --> goes on."]
    files = {f"kind.{ending}": body for ending in ENDS_FRONT}
    files |= {"bare": body, "one.md": [*body, "", "@two.md"], "two.md": [*body, "", "@three.txt"], "three.txt": body}
    files["paths.md"] = ["---", "title: {mark}", 'paths: "src/**"', "---", "", "{mark} text"]
    files["broken.md"] = ["---", "title: [{mark}", "---", "", "{mark} text"]
    files["unended.md"] = ["---", "title: {mark}", "", "{mark} text"]
    files["blank.md"] = ["", *head]
    files["only.md"] = ["---", "title: {mark}", "---"]
    files["names.md"] = ["---", "title: {mark}", 'see: "@named.md"', "---", "", "{mark} text"]
    files["chain.mdc"] = ["{mark} text", "", "@behind.md"]
    for name, lines in files.items():
        tree.lines("root", f"docs/{name}", lines)
    for name in ("named.md", "behind.md", "real.mdc", "real.md"):
        tree.lines("root", f"docs/{name}", ["{mark} imported"])
    tree.link("root", "docs/to-mdc.md", "real.mdc")
    tree.link("root", "docs/to-md.mdc", "real.md")
    _write_importers(tree, (*(name for name in files if name not in ("two.md", "three.txt")), "to-mdc.md", "to-md.mdc"))


def waiting_rules(tree: Tree) -> None:
    """Rules that wait for a file, and import another."""
    write_data(tree)
    waiting = (
        ("root", ".claude/rules/wait.md", "paths"),
        ("home", ".claude/rules/wait.md", "paths"),
        ("root", ".github/instructions/wait.instructions.md", "applyTo"),
    )
    for place, name, key in waiting:
        folder = name.partition("/")[0]
        tree.lines(place, f"{folder}/docs/one.md", ["{mark} imported", "", "@two.md"])
        tree.lines(place, f"{folder}/docs/two.md", ["{mark} imported"])
        tree.lines(place, name, ["---", f'{key}: "**/*.txt"', "---", "", "{mark} rule", "", "@../docs/one.md"])


WORLDS = (
    World("imports-endings", "Files of which kinds are imported?", endings, cwd=ROOT),
    World("imports-front", "Do frontmatter and comments of an imported file arrive?", front, cwd=ROOT),
    World(
        "imports-waiting",
        "Is what a rule imports there before the rule is?",
        waiting_rules,
        cwd=ROOT,
        reads=(f"{ROOT}/data.txt",),
    ),
)
