// The turns: each prompt that was made since the page was opened, and how any two of them differ.
import { go, href } from "overture/address.js";
import { html } from "overture/html.js";
import { useAnswer } from "overture/server.js";
import { grown } from "overture/widgets.js";
import { WordDiff } from "overture/word_diff.js";
import { bound, clock, count, dollars, fieldWords, locale, number, percent, signed, tokens } from "overture/words.js";

const NONE = [];
const CHANGES = { changed: "rewritten", added: "added", removed: "removed" };

export function TurnsView({ page, place }) {
  const { answer: history, problem } = useAnswer("/page/turns", page.version);
  const turns = history?.turns || NONE;
  const pick = picked(place, turns);
  const shown = useAnswer(history && pick && `/page/diff?a=${pick.a}&b=${pick.b}`, page.version);
  const isBusy = !problem && (!history || (pick && !shown.path));
  return html`
    <div class="turns-view">
      <div class="turns-column">
        <h1>Turns</h1>
        <p class="quiet">${history ? `${count(turns.length, "prompt")} since the page was opened` : " "}</p>
        ${turns.length > 0 && html`<${TurnList} turns=${turns} pick=${pick} sheet=${page.sheet} />`}
      </div>
      <section class="turns-diff" aria-label="Difference" aria-busy=${isBusy ? "true" : undefined}>
        ${problem && !history ? html`<div class="empty foreign">${problem.message}</div>`
          : history && html`<${Shown} turns=${turns} pick=${pick} shown=${shown} page=${page} />`}
      </section>
    </div>`;
}

function Shown({ turns, pick, shown, page }) {
  if (!pick) return html`<${OnlyOne} sheet=${page.sheet} />`;
  if (pick.a === pick.b) {
    return html`<div class="empty"><b>Both are the same turn</b>Pick two different ones to see what changed.</div>`;
  }
  const gone = shown.problem?.status === 404; // what was shown of it is of no turn any more
  if (shown.problem && (gone || !shown.answer)) {
    return html`<div class="empty" role="alert"><b>${gone ? "A turn was removed" : "The difference can't be shown"}</b>
      <span class="foreign">${shown.problem.message}</span><p><a href=${href("turns")}>Show the newest</a></p></div>`;
  }
  const { a, b } = shown.answer || pick; // the old one stands until the new one is here
  return html`<h2>Turn ${a} → ${b}</h2>${shown.answer && html`<${TurnDiff} diff=${shown.answer} turns=${turns} />`}`;
}

function OnlyOne({ sheet }) {
  const file = sheet.sources.find((source) => source.kind === "file");
  const name = file ? file.label.replace(/:\d+$/, "") : "AGENTS.md";
  return html`<div class="empty"><b>Nothing has changed yet</b>
    Edit and save a file, e.g. <code class="foreign">${name}</code>: the change appears here.</div>`;
}

// Which two turns are compared. The address says it (`2..5`); without one, the newest and the one before it.
function picked(place, turns) {
  const found = /^(\d{1,9})\.\.(\d{1,9})$/.exec(place || "");
  if (found) {
    const [a, b] = [Number(found[1]), Number(found[2])];
    return { a: Math.min(a, b), b: Math.max(a, b) };
  }
  return turns.length > 1 ? { a: turns.at(-2).turn, b: turns.at(-1).turn } : null;
}

// The earlier one always stands before the later one: whichever is moved past the other takes it along.
function pickEarlier(turns, { b }, turn) {
  return { a: turn, b: turn < b ? b : turns.find((each) => each.turn > turn).turn };
}

function pickLater(turns, { a }, turn) {
  return { a: turn > a ? a : turns.findLast((each) => each.turn < turn).turn, b: turn };
}

export const pair = ({ a, b }) => `${a}..${b}`;

// The turns, newest on top. A row shows what that turn changed; the two columns in front pick any two.
function TurnList({ turns, pick, sheet }) {
  const rows = turns.map((turn, at) => ({ turn, before: turns[at - 1] })).reverse();
  return html`
    <table class="table turn-list">
      <caption class="aside-word">Turns, newest first. Pick an earlier and a later one to compare them.</caption>
      <thead><tr><th scope="col" class="pick">From</th><th scope="col" class="pick">To</th>
        <th scope="col">What happened</th><th scope="col" class="number">Tokens</th></tr></thead>
      <tbody>${rows.map(({ turn, before }) => html`
        <${Row} key=${turn.turn} turns=${turns} turn=${turn} before=${before} pick=${pick} sheet=${sheet} />`)}</tbody>
    </table>`;
}

function Row({ turns, turn, before, pick, sheet }) {
  const { turn: at } = turn;
  const between = pick && at >= pick.a && at <= pick.b;
  const isShown = before && pick?.a === before.turn && pick.b === at;
  const radio = (name, checked, next, words) => html`
    <input type="radio" name=${name} checked=${checked} aria-label=${words}
      onChange=${() => go("turns", pair(next()))} />`;
  return html`
    <tr class=${between ? "between" : ""}>
      <td class="pick">${turn !== turns.at(-1)
        && radio("from", pick?.a === at, () => pickEarlier(turns, pick, at), `From turn ${at}`)}</td>
      <td class="pick">${before && radio("to", pick?.b === at, () => pickLater(turns, pick, at), `To turn ${at}`)}</td>
      <td>${before
        ? html`<a class="foreign" data-step aria-current=${isShown ? "true" : undefined}
            href=${href("turns", pair({ a: before.turn, b: at }))}>${turn.cause || "rebuilt"}</a>`
        : html`<span class="foreign">${turn.cause || "the first one"}</span>`}
        <span class="small quiet under"><span>turn ${at}</span><time datetime=${turn.at}>${clock(turn.at)}</time>
          ${before && turn.whole > 0 && html`<${Kept} turn=${turn} />`}</span>
        ${turn.broken && html`<span class="small turn-broken foreign">can't be used: ${turn.broken}</span>`}
      </td>
      <td class="number">${tokens(turn.tokens, sheet)}
        <span class="small quiet under">${before ? signed(turn.tokens - before.tokens) : " "}</span></td>
    </tr>`;
}

// How much of it a cache would give back.
function Kept({ turn }) {
  const share = Math.min(turn.cached / turn.whole, 1);
  return html`<span class="kept" title=${`${count(turn.cached, "token")} from the cache`}>
    <meter class="bar" min="0" max="1" value=${share} aria-hidden="true"></meter>${percent(share)} cached</span>`;
}

// Two turns beside each other: in a sentence, then each section that changed, then those that did not.
function TurnDiff({ diff, turns }) {
  const changed = diff.blocks.filter((block) => block.change !== "same");
  const same = diff.blocks.filter((block) => block.change === "same");
  return html`
    <${Headline} diff=${diff} turns=${turns} />
    ${changed.map((block, at) => html`
      <${ChangedBlock} key=${`${diff.a}..${diff.b} ${at} ${block.name}`} block=${block} />`)}
    ${same.length > 0 && html`<p class="quiet same-blocks">The same in both:${" "}${same.map((block, at) => html`
      ${at > 0 && ", "}<a class="foreign" href=${href("prompt", block.name)}>${block.name}</a>`)}</p>`}`;
}

function ChangedBlock({ block }) {
  return html`
    <section class="card turn-block" aria-label=${block.name}>
      <header>
        <h3 class="foreign">${block.name}</h3>
        <span class="change is-${block.change}">${CHANGES[block.change]}</span>
        ${block.because.length > 0 && html`<span class="small quiet">because of${" "}
          <span class="foreign">${block.because.map(fieldWords).join(", ")}</span></span>`}
      </header>
      ${block.words.length > 0 && html`<${WordDiff} words=${block.words} />`}
    </section>`;
}

// The difference in plain words: where it begins, why, and what it does to the cache.
function Headline({ diff, turns }) {
  const { cache } = diff;
  const tools = diff.tools && "The tools differ, and they come before the prompt. ";
  const uncounted = cache.lacks_own_prompt && " Not counted: the agent's own prompt and tools.";
  return html`
    <div class="turn-headline">
      <p class="sentence">${tools}${where(diff)}${because(diff, turns)}.</p>
      <p class="sentence">${kept(cache)}${uncounted}</p>
      ${cache.tokens > 0 && html`<${CacheBar} cache=${cache} />`}
    </div>`;
}

function where(diff) {
  if (diff.first === null) return "The text of the prompt is the same, byte for byte";
  const section = diff.block && html`, in <b class="foreign">${diff.block}</b>`;
  const line = diff.line ? `, line ${number(diff.line)} of the prompt` : "";
  const source = diff.source && html` (<span class="foreign">${diff.source}</span>)`;
  return html`The first difference is at byte <b>${number(diff.first)}</b>${section}${line}${source}`;
}

// What happened after the earlier turn, up to the later one.
function because(diff, turns) {
  const happened = turns.filter((each) => each.turn > diff.a && each.turn <= diff.b);
  const causes = together(happened.map((each) => each.cause).filter(Boolean));
  const [from, to] = diff.recipes;
  if (from !== to) causes.unshift(`the recipe changed from ${from} to ${to}`);
  if (causes.length && causes.length <= 4) {
    return html`, ${diff.first === null ? "although" : "because"} <span class="foreign">${causes.join("; ")}</span>`;
  }
  const changed = diff.blocks.filter((block) => block.change !== "same"); // fields of bytes that changed
  const fields = [...new Set(changed.flatMap((block) => block.because))].map(fieldWords).join(", ");
  return fields && html`, because of <span class="foreign">${fields}</span>`;
}

// Files that changed are named in one breath.
function together(causes) {
  const isFile = (cause) => cause.endsWith(" changed");
  const named = causes.filter(isFile).flatMap((cause) => cause.slice(0, -" changed".length).split(", "));
  const files = [...new Set(named)];
  const others = [...new Set(causes.filter((cause) => !isFile(cause)))];
  return [...(files.length ? [`${new Intl.ListFormat(locale).format(files)} changed`] : []), ...others];
}

function kept(cache) {
  const share = cache.cached
    ? html`<b>${percent(cache.cached / (cache.tokens || 1))}</b> of the request still comes from the cache`
    : "No part of the request comes from the cache";
  if (cache.cost === null || cache.cost === undefined) return html`${share}.`;
  const price = (value) => bound(value, cache.at_least, dollars);
  return html`${share}: sending it costs <b>${price(cache.cost)}</b>; without a cache ${price(cache.uncached)}.`;
}

function CacheBar({ cache }) {
  const rest = Math.max(cache.tokens - Math.max(cache.common, cache.cached), 0);
  const parts = [
    ["cached", "from the cache", cache.cached],
    ["common", "same, but not cached", Math.max(cache.common - cache.cached, 0)],
    ["fresh", "after the first difference", rest],
  ];
  return html`
    <div class="cache-bar" aria-hidden="true">${parts.map(([look, , n]) => n > 0 && html`
      <span key=${look} class="is-${look}" ref=${grown(n)}></span>`)}</div>
    <ul class="cache-legend small">${parts.map(([look, name, n]) => html`
      <li key=${look}><span class="swatch is-${look}"></span>${number(n)} <span class="quiet">${name}</span></li>`)}
      ${cache.model && html`<li class="quiet">predicted for <span class="foreign">${cache.model}</span></li>`}</ul>`;
}
