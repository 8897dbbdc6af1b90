"""Other languages: the browser's, or the one that is chosen; nothing of ours stays English, and nothing breaks."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ..cli.run import run
from ..serve.page.test_languages import catalogue
from .conftest import Open, Served
from .test_axe import WIDTHS, faults, is_inside, settled
from .test_calls import tapped as tapped

SOME = ("de", "ar", "zh-CN")
PLACES = (
    "prompt", "map", "turns", "play", "agents", "files", "check", "calls", "calls/call%2Fmain9",
    "calls/call%2Fmain9%2Fchanges", "calls/call%2Fmain9%2Fprompt", "calls/call%2Fmain9%2Ffiles",
    "calls/call%2Fmain9%2Fanswer", "calls/call%2Fmain9%2Fmessages", "calls/call%2Fmain9%2Frequest",
    "calls/call%2Fmain9%2Fevents", "calls/call%2Fsub%2Frequest", "calls/call%2Fsub%2Fevents", "calls/search%2Fship",
)  # fmt: skip
LEFT = """
(forms) => {
  const users = "pre, code, kbd, .code, .path, .body, .excerpt, .word-diff, .diff, textarea, option, .where";
  const known = forms.map((form) => new RegExp(`^${form}$`));
  const named = (element) => element.matches("[data-name]") ? [] // a section, by its name
    : ["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name)).filter(Boolean);
  const texts = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(users) || element.tagName === "NOSCRIPT") continue;
    const nodes = [...element.childNodes].filter((node) => node.nodeType === 3);
    const own = nodes.map((node) => node.data.trim()).filter(Boolean);
    texts.push(...own.filter((text) => text.includes(" ") || !element.closest(".foreign")), ...named(element));
  }
  return [...new Set(texts)].filter((text) => known.some((form) => form.test(text)));
}
"""
UNKNOWN = """
async (paths) => {
  const { isKnown } = await import("overture/said.js");
  const answers = await Promise.all(paths.map((path) => fetch(path).then((answer) => answer.json())));
  const found = [];
  const names = ["why", "reason", "cause", "detail", "message", "about", "sentence", "bill", "words", "note"];
  const walk = (value, name, above) => {
    if (typeof value === "string") {
      const closed = name === "reason" && !("after" in above); // one of a few, for which scripts have words
      const theirs = (name === "words" && Array.isArray(above)) || (name === "cause" && above.reason === "failed");
      if (value && names.includes(name) && !theirs && !closed) found.push(value);
    } else if (value && typeof value === "object") {
      for (const [key, each] of Object.entries(value)) walk(each, Array.isArray(value) ? name : key, value);
    }
  };
  answers.forEach((answer) => walk(answer, "", {}));
  return [...new Set(found)].filter((text) => !isKnown(text));
}
"""


def english(language: str) -> list[str]:
    """Patterns of the English forms that are no words of a language."""
    found: list[str] = []
    page = catalogue(language)["page"]
    own = {words for words in page.values() if isinstance(words, str)}
    for form in page:
        for one in form.split("|"):
            fixed = "".join(part for part in _parts(one)[::2])
            if one not in own and sum(map(str.isalpha, fixed)) >= (6 if "{" in one else 3):
                found.append("".join(part if at % 2 else _escaped(part) for at, part in enumerate(_parts(one))))
    return found


def _parts(form: str) -> list[str]:
    """Fixed text and slots, in turn; a slot as a pattern."""
    parts = form.replace("{", "\0.+\0").split("\0")
    return [part.partition("}")[2] if at and at % 2 == 0 else part for at, part in enumerate(parts)]


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\^$.*+?()[]{}|/" else sign for sign in text)


def choose(page: Page, language: str) -> None:
    """Choose a language in the head; the page is drawn anew."""
    with page.expect_navigation():
        page.locator("select.languages").select_option(language)
    expect(page.locator("html")).to_have_attribute("lang", language)


@pytest.mark.parametrize("language", SOME)
def test_nothing_of_ours_stays_english(tapped: Served, look: Open, language: str) -> None:
    """In every view and on every tab of a call; no fault for axe, and nothing scrolls sideways."""
    page = look(tapped, "#/prompt")
    choose(page, language)
    forms = english(language)
    for place in PLACES:
        page.evaluate("(place) => { location.hash = `#/${place}`; }", place)
        settled(page)
        if place == "agents":
            page.locator(".cell").first.click()
        assert page.evaluate(LEFT, forms) == [], place
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 860})
            assert faults(page) == [], (place, width)
            assert is_inside(page), (place, width)


def test_what_is_looked_for_would_be_found(tapped: Served, look: Open) -> None:
    """In English nearly all of it is English: the test above can fail."""
    page = look(tapped, "#/calls")
    settled(page)
    found = page.evaluate(LEFT, english("de"))
    assert {"Conversations", "newest first", "prefix changed", "Language"} <= set(found)


def asked(served: Served, look: Open, *paths: str) -> list[str]:
    """Sentences in answers of the server for which German has no words."""
    page = look(served, "#/prompt")
    choose(page, "de")
    settled(page)
    unknown: list[str] = page.evaluate(UNKNOWN, list(paths))
    return unknown


def test_the_servers_sentences_are_known(tapped: Served, odd: Served, look: Open) -> None:
    """Why a section is there, what became of a file, what is wrong, what agents read, and why the cache missed."""
    calls = [f"/page/call/{id}{more}" for id in ("main5", "main9", "sub") for more in ("", "/prompt")]
    calls += [f"/page/call/{id}/changes" for id in ("main5", "main9")]
    assert asked(tapped, look, "/page/sheet", "/page/files", "/page/check", "/page/agents", "/page/calls", *calls) == []
    assert asked(odd, look, "/page/check", "/page/files") == []


def test_the_browsers_language_counts_until_one_is_chosen(served: Served, browser: Browser) -> None:
    """The first that is known; the choice survives a reload. Right to left where it is read so."""
    context = browser.new_context(locale="ar-EG")
    page = context.new_page()
    page.goto(served.address)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.get_by_role("link", name="الخريطة")).to_be_visible()
    assert page.locator(".block .body").first.evaluate("(text) => getComputedStyle(text).direction") == "ltr"
    choose(page, "ja")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    expect(page.locator("select.languages")).to_have_value("ja")
    context.close()


@pytest.mark.parametrize(
    "tags, spoken",
    [
        (["zh-TW", "fr-CA"], "fr"),
        (["pt-PT"], "pt-BR"),
        (["zh"], "zh-CN"),
        (["nl", "en-GB", "de"], "en"),
        (["nl"], "en"),
    ],
)
def test_the_nearest_of_the_browsers_languages(served: Served, browser: Browser, tags: list[str], spoken: str) -> None:
    """Traditional Chinese is not taken for the simplified; what is not known is English, which asks for no file."""
    page = browser.new_page()
    page.add_init_script(f"Object.defineProperty(navigator, 'languages', {{ get: () => {json.dumps(tags)} }})")
    files: list[str] = []
    page.on(
        "request",
        lambda request: files.append(request.url.rpartition("/")[2]) if "/languages/" in request.url else None,
    )
    page.goto(served.address)
    expect(page.locator("html")).to_have_attribute("lang", spoken)
    settled(page)
    assert files == ([] if spoken == "en" else [f"{spoken}.json"])
    page.close()


def test_a_page_that_is_a_file_speaks_them_too(tapped: Served, look: Open, tmp_path: Path) -> None:
    """The words lie in it, and nobody is asked for them."""
    file = tmp_path / "calls.html"
    done = run("tap", "report", "--store", tapped.root.parent / "calls.sqlite", "--cwd", tapped.root, "-o", file)
    assert done.returncode == 0, done.stderr
    page = look(file.as_uri())
    settled(page)
    requests: list[Any] = []
    page.on("request", lambda request: requests.append(request.url) if request.url.startswith("http") else None)
    choose(page, "de")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Kosten dieser Sitzung")
    assert page.evaluate(LEFT, english("de")) == []
    assert requests == []


def test_what_people_wrote_is_never_translated(look: Open, odd: Served) -> None:
    """A section or a file whose name is one of our words keeps it, and so does its text."""
    page = look(odd, "#/prompt")
    choose(page, "de")
    said = 'import("overture/said.js").then(({ said }) => said(%s))'
    assert page.evaluate(said % json.dumps("the date in main changed")) == "das Datum in main hat sich geändert"
    assert page.evaluate(said % json.dumps("tool 'user' was added")) == "Tool 'user' kam hinzu"
    assert page.evaluate(said % json.dumps("The weather is fine.")) == "The weather is fine."
