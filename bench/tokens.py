"""How long counting and cutting take: the two jobs that other libraries were measured on."""

import random
from collections.abc import Callable
from itertools import count, cycle

from msgspec.structs import replace

import overture
from overture import Body, Counter, Group, Part, Prompt, Recipe, Section, State, section
from overture.assemble.render_body import BodyRenderer
from overture.assemble.sanitize.guard import EMPTY_GUARD

TEXT = """the agent reads a file before it writes one and says in a line what it has changed so that nobody has to guess
which test failed why it failed and what was done about it in the end by whom and at what time of the day"""
WORDS = TEXT.split()
TARGETS = {
    "repeated": 150.0,
    "new budget": 150.0,
    "rebuilt": 150.0,
    "nothing known": 3000.0,
    "13 sections, one changed, counted exactly": 60.0,
}
"""Microseconds."""


def sentence(number: int, words: int) -> str:
    """So many words, always the same for one number."""
    chosen = random.Random(number)
    return " ".join(chosen.choice(WORDS) for _ in range(words))


ITEMS = tuple(
    Part(f"{n}: {sentence(n, 44)}.", name=f"item-{n}", priority=random.Random(n).randrange(1000)) for n in range(200)
)
"""Two hundred items of about 47 tokens, each with a priority of its own."""


def items() -> Body:
    """All of them."""
    return Group(ITEMS, loose="fair")


def prose(number: int) -> Section:
    """A section of ten lines."""
    text = "\n".join(f"- {sentence(number * 100 + line, 13)}" for line in range(12))

    def say() -> Body:
        """A few lines."""
        return text

    return Section(f"section-{number}", say)


@section("memories", pace="turn")
def memories(memories: tuple[str, ...]) -> Body:
    """What changes from turn to turn."""
    return [Part(text) for text in memories]


JOB = Recipe("items", (Section("items", items),))
THIRTEEN = Recipe("thirteen", (*(prose(number) for number in range(12)), memories))


def anew() -> Prompt:
    """The same prompt, of other objects: in blocks that nobody has counted yet."""
    return listing(tuple([replace(part) for part in ITEMS]))


def listing(parts: tuple[Part, ...]) -> Prompt:
    """The prompt of these items."""
    section = JOB.sections[0]
    layer = BodyRenderer(JOB, section, {}, EMPTY_GUARD)
    layer.lay_framed(Group(parts, loose="fair"))
    return Prompt(JOB, State(), (layer.result(),))


def with_another() -> Callable[[], Prompt]:
    """The prompt of the items, each time with another one among them."""
    numbers = count()

    def built() -> Prompt:
        number = next(numbers)
        at = number % len(ITEMS)
        other = replace(ITEMS[at], text=f"{number}: {ITEMS[at].text}")
        return listing((*ITEMS[:at], other, *ITEMS[at + 1 :]))

    return built


def forgetful(counter: Counter) -> Counter:
    """The same counter, which knows nothing yet."""
    return Counter(counter.name, counter.run, counter.exact, counter.additive)


def turn_of(counter: Counter) -> Callable[[], int]:
    """A turn: one memory is another, and the prompt is built and counted again."""
    state = State(memories=tuple(sentence(line, 13) for line in range(8)))
    before = overture.build(THIRTEEN, state).counted(counter)
    assert before.tokens == counter(before.text)
    turns = 0

    def turn() -> int:
        nonlocal turns
        turns += 1
        changed = state.replace(memories=(*state.memories[:-1], f"turn {turns} changed a line of the notes"))
        return overture.build(THIRTEEN, changed, since=before).tokens

    return turn


def measure_tokens(best: Callable[..., float], show: Callable[..., None]) -> None:
    """Cut 200 items to 4,000 tokens, and count a prompt of which little changed."""
    counter = overture.counter()
    prompt = overture.build(JOB, State()).counted(counter)
    small = overture.fit(prompt, 4000)
    assert counter(small.text) == small.tokens <= 4000
    made = best(lambda: (anew(), forgetful(counter)))
    another = with_another()
    budgets = cycle(range(4_960, 3_040, -60))
    rows = {
        "repeated": best(lambda: overture.fit(prompt, 4000).text),
        "new budget": best(lambda: overture.fit(prompt, next(budgets)).text, 1),
        "rebuilt": best(lambda: overture.fit(anew(), 4000, counter).text) - made,
        "rebuilt, one item is another": best(lambda: overture.fit(another(), 4000, counter).text, 1) - best(another, 1),
        "nothing known": best(lambda: overture.fit(anew(), 4000, forgetful(counter)).text, 1) - made,
    }
    what = f"{counter.name}: 200 items of {prompt.tokens:,} tokens cut to 4,000 ({small.tokens:,} used): "
    for label, value in rows.items():
        show(what + label, value, "µs", f"target {TARGETS[label]:g}" if label in TARGETS else "")
    turn = turn_of(counter)
    label = "13 sections, one changed, counted exactly"
    show(f"{counter.name}: {label} ({turn():,} tokens)", best(turn), "µs", f"target {TARGETS[label]:g}")
