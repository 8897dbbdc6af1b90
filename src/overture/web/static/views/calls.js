// The calls that a tap has recorded: what each run cost and why, call by call, as they happen.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { go } from "overture/address.js";
import { callHref, leftOut, placeOf, rememberList, runHref } from "overture/calls/address.js";
import { CallSearch, SearchField } from "overture/calls/search.js";
import { barWords, LEGEND, partsOf, TokenBar, verdictOf, whyWords } from "overture/calls/verdict.js";
import { CallView } from "overture/calls/one_call.js";
import { html } from "overture/html.js";
import { ask, inside } from "overture/server.js";
import { Busy, grown, Path, ShownProblem } from "overture/widgets.js";
import { bound, clock, count, moment, money, number, percent, seconds } from "overture/words.js";

const PAGE = 200; // calls that are asked for at once
const PAUSE = 60;
const BARS = 120;
const known = new Map(); // the last answers: whoever comes back finds what was there
const scrolled = new Map();

export function CallsView({ page, place }) {
  const at = placeOf(place);
  if (at.call) return html`<${CallView} page=${page} id=${at.call} tab=${at.tab} words=${at.words} key=${at.call} />`;
  if (at.search) return html`<${CallSearch} words=${at.search} key=${at.search} />`;
  return html`<${CallList} page=${page} run=${at.run} conversation=${at.conversation} key=${at.run || ""} />`;
}

function CallList({ page, run, conversation }) {
  const { answer, problem, more } = useCalls(page, run, conversation);
  // Of a store that can't be read now, and of one without a run, there is nothing to list.
  const isEmpty = answer && (Boolean(answer.problem) || !answer.run);
  return html`
    <div class="page-view calls-view">
      ${(!answer || isEmpty) && html`
        <h1>Calls</h1><p class="lead">What an agent really sends, as recorded by the tap.</p>`}
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} />`}
      ${isEmpty && html`<${Nothing} answer=${answer} />`}
      ${answer && !isEmpty && html`<${Listed} answer=${answer} run=${run} more=${more} />`}
    </div>`;
}

// The list, asked for again when calls were recorded, and while some of them are not looked at yet. One question at a
// time: calls may come faster than they are told.
function useCalls(page, run, conversation) {
  const [most, setMost] = useState(PAGE);
  const [again, setAgain] = useState(0);
  const path = listPath(run, conversation, most);
  const [state, setState] = useState({ answer: known.get(path) || null, problem: null });
  const out = useRef({});
  useEffect(() => {
    rememberList();
    if (out.current.path === path) {
      out.current.dirty = true;
      return;
    }
    out.current.end?.abort();
    const mine = (out.current = { path, end: new AbortController() });
    ask(path, mine.end.signal).then(
      (answer) => {
        known.clear();
        known.set(path, answer);
        setState((had) => { tellMore(page, had.answer, answer); return { answer, problem: null }; });
        if (answer.judged < answer.total) mine.dirty = true;
      },
      (problem) => {
        if (problem.name === "AbortError") return;
        setState((had) => ({ answer: problem.status === 0 ? had.answer : null, problem }));
      },
    ).finally(() => {
      mine.path = null;
      if (mine.dirty && out.current === mine) setTimeout(() => setAgain((at) => at + 1), PAUSE);
    });
  }, [path, page.recorded, again]);
  useEffect(() => () => out.current.end?.abort(), []);
  usePlace(path);
  return { ...state, more: () => setMost((had) => had + PAGE) };
}

function tellMore(page, had, answer) {
  const n = had && had.run === answer.run ? answer.total - had.total : 0;
  if (n > 0) page.say(`${count(n, "new call")}.`);
}

function listPath(run, conversation, most) {
  if (inside) return "/page/calls";
  const query = new URLSearchParams({
    ...(run && { run }), ...(conversation !== null && { conversation }), ...(most > PAGE && { most }),
  });
  return `/page/calls${query.size ? `?${query}` : ""}`;
}

// Whoever comes back from a call is where they were.
function usePlace(path) {
  useLayoutEffect(() => {
    const main = document.getElementById("main");
    main.scrollTop = scrolled.get(path) || 0;
    const keep = () => scrolled.set(path, main.scrollTop);
    main.addEventListener("scroll", keep, { passive: true });
    return () => main.removeEventListener("scroll", keep);
  }, [path.split("?")[0]]);
}

function Nothing({ answer: { problem, store } }) {
  return html`<div class="empty" role="status">
    <b>${problem ? "The calls can't be read now" : "No calls recorded here yet"}</b>
    <p>${problem ? html`<span class="foreign">${problem}</span>`
      : html`Record what a program sends: <code>overture tap -- claude</code>`}</p>
    <p class="small">Calls are read from <${Path} text=${store} /></p></div>`;
}

function Listed({ answer, run, more }) {
  const shown = answer.runs.find((each) => each.id === answer.run);
  const why = shown?.ended ? "The program ended without a model call."
    : "The first call appears here as soon as it has a response.";
  return html`
    <${Bill} answer=${answer} run=${run} shown=${shown} />
    ${answer.total === 0 ? html`<div class="empty" role="status"><b>No calls yet</b>${why}</div>`
      : html`
        <${Chart} answer=${answer} />
        <${Conversations} answer=${answer} />
        <${Table} answer=${answer} more=${more} />`}`;
}

// The bill in a sentence, and which run it is of.
function Bill({ answer, run, shown }) {
  const waiting = answer.total - answer.judged;
  return html`
    <div class="calls-head">
      <h1 class="bill foreign">${answer.bill ? figures(answer.bill) : "Calls"}</h1>
      <${Runs} answer=${answer} run=${run} />
    </div>
    <p class="small quiet calls-under">
      <span class="foreign">${shown?.command || shown?.program || "a tap with --listen"}</span>${" · "}
      ${count(answer.total, "call")} in ${count(answer.conversations.length, "conversation")}
      ${answer.judged > 0 && html` · <span class="totals">${totals(answer)}</span>`}
      ${waiting > 0 && html` · <span role="status">${number(waiting)} being computed</span>`}
      ${shown && !shown.ended && html` · <span class="tag live-run">not ended</span>`}</p>
    ${answer.bill && answer.not_priced.length > 0 && html`
      <p class="small quiet foreign">not included: ${answer.not_priced.join(", ")}</p>`}
    ${answer.left_out > 0 && html`
      <p class="small quiet">${leftOut(answer.left_out, "overture tap report --since all")}</p>`}
    ${shown?.missing.map((each) => html`<p class="small calls-missing foreign">not recorded: ${each}</p>`)}`;
}

// Whether a provider said what it counted: of a dry run, output and cache reads are unknown and not none.
const isCounted = (answer) => answer.calls.some((call) => call.said !== false);

function totals(answer) {
  const cost = bound(answer.dollars, answer.at_least);
  if (!isCounted(answer)) return `${number(answer.tokens)} in, ${cost}; output and cache unknown`;
  const share = percent(answer.read / (answer.tokens || 1));
  const [input, output, read] = [answer.tokens, answer.output, answer.read].map(number);
  return `${input} in, ${output} out, ${read} cached (${share} hit rate), ${cost}, ${money(answer.cost || 0)} lost`;
}

// Amounts stand out.
function figures(sentence) {
  const amount = /(\$\s?\d(?:[\d.,]*\d)?|\d(?:[\d.,\s]*\d)?\s\$)/;
  return sentence.split(amount).map((part, at) => (at % 2 ? html`<b>${part}</b>` : part));
}

function Runs({ answer, run }) {
  if (inside || answer.runs.length < 2) return null;
  const take = (event) => (event.target.value ? (location.hash = runHref(event.target.value)) : go("calls"));
  const named = (each) => `${moment(each.started)}  ${each.program || "tap"} · ${count(each.calls, "call")} · ${
    bound(each.dollars, each.at_least)}`;
  return html`
    <label class="row runs">Run
      <select class="field" value=${run || ""} onChange=${take}>
        <option value="">the newest</option>
        ${answer.runs.map((each) => html`<option key=${each.id} value=${each.id}>${named(each)}</option>`)}
      </select>
    </label>${answer.older > 0 && html`<span class="small quiet">and ${number(answer.older)} older</span>`}`;
}

// A bar for each call in time: what came from the cache, what was written to it, what neither. Misses stand out.
function Chart({ answer }) {
  const calls = answer.calls.slice(0, BARS).reverse();
  const most = Math.max(...calls.map((call) => partsOf(call).tokens), 1);
  const left = answer.calls.length + answer.earlier - calls.length;
  return html`
    <figure class="calls-chart">
      <div class="chart-scale small quiet" aria-hidden="true"><span>${count(most, "token")}</span></div>
      <ol class="chart-bars" aria-label="Calls by their tokens, oldest first">${calls.map((call) => html`
        <${Bar} key=${call.id} call=${call} most=${most} />`)}</ol>
      <figcaption class="cache-legend small">
        ${LEGEND.map(([look, words]) => html`
          <span key=${look}><span class="swatch is-call-${look}"></span>${words}</span>`)}
        <span><b class="chart-sign" aria-hidden="true">▲</b> paid again</span>
        ${left > 0 && html`<span class="quiet">${number(left)} earlier are not drawn</span>`}
      </figcaption>
    </figure>`;
}

function Bar({ call, most }) {
  const { tokens, read, written, fresh, lost } = partsOf(call);
  const { sign, word, look } = verdictOf(call);
  const why = whyWords(call);
  const words = `${clock(call.at)}, ${word}${why ? `: ${why}` : ""}. ${barWords(call)}.`;
  return html`
    <li>
      <a href=${callHref(call.id)} title=${words} aria-label=${words} class="is-${look}">
        <span class="chart-sign" aria-hidden="true">${lost || look === "failed" ? sign : ""}</span>
        <span class="chart-rest" ref=${grown(most - tokens)}></span>
        <span class="chart-bar" ref=${grown(Math.max(tokens, most / 60))}>
          ${[["fresh", fresh], ["written", written], ["read", read]].map(([name, n]) => n > 0 && html`
            <span key=${name} class="is-call-${name}" ref=${grown(n)}></span>`)}
        </span>
      </a>
    </li>`;
}

// Who spoke: the main agent, its sub-agents, titles and summaries; and what was paid for again, the dearest first.
function Conversations({ answer }) {
  return html`
    <div class="calls-two">
      <section aria-label="Conversations">
        <h2>Conversations</h2>
        <ul class="conversations">${answer.conversations.map((conversation, at) => html`
          <${Conversation} key=${at} conversation=${conversation} at=${at} answer=${answer} />`)}</ul>
      </section>
      <section aria-label="Paid again">
        <h2>Paid again</h2>
        ${answer.causes.length
          ? html`<ul class="causes">${answer.causes.map((each) => html`
              <${Cause} key=${each.reason + each.cause} each=${each} />`)}</ul>`
          : html`<p class="quiet">No cache misses.</p>`}
      </section>
    </div>`;
}

function Conversation({ conversation, at, answer }) {
  const { title, name, calls, tokens, read, output, cost } = conversation;
  const chosen = answer.conversation === at;
  // `sub-agent: find who left` has the words of its title again.
  const kind = name.endsWith(`: ${title}`) ? name.slice(0, -title.length - 2) : name;
  const label = html`<b class="foreign">${title || name}</b>
    ${title && html` <span class="small quiet foreign">${kind}</span>`}
    ${chosen && html` <span class="small">only; show all</span>`}`;
  const input = `${count(calls, "call")}, ${number(tokens)} in`;
  return html`
    <li class="conversation-${at % 6}" title=${conversation.why}>
      ${inside || answer.conversations.length < 2 ? html`<span class="conversation-name">${label}</span>`
        : html`<a class="conversation-name" data-step href=${runHref(answer.run, chosen ? null : at)}
            aria-current=${chosen ? "true" : undefined}>${label}</a>`}
      <span class="number">${bound(conversation.dollars, conversation.at_least)}</span>
      <span class="small quiet">${isCounted(answer)
        ? `${input}, ${percent(read / (tokens || 1))} from the cache, ${number(output)} out` : input}</span>
      <span class="small number">${cost ? html`<span class="lost">${money(cost)} lost</span>` : ""}</span>
    </li>`;
}

function Cause({ each }) {
  const size = count(each.tokens, "token");
  return html`
    <li>
      <b class="number lost">${each.dollars === null ? size : money(each.dollars)}</b>
      <span><span class="foreign">${each.cause}</span>${" "}
        <span class="small quiet">${verdictOf(each).word}, ${count(each.calls, "call")}, ${size}</span></span>
    </li>`;
}

// The calls in rows, newest first: what went in and out, what it cost, what the cache gave beside what was predicted.
function Table({ answer, more }) {
  const most = Math.max(...answer.calls.map((call) => partsOf(call).tokens), 1);
  const head = (words, kind) => html`<th scope="col" class=${kind}>${words}</th>`;
  return html`
    <div class="calls-bar">
      <h2 class="calls-title">Calls <span class="quiet">newest first</span></h2><${SearchField} /></div>
    <table class="table call-table">
      <caption class="aside-word">Calls, newest first</caption>
      <thead><tr>
        ${head("Call")}${head("Tokens in", "wide")}${head("In", "number")}${head("From cache", "number")}
        ${head("Out", "number")}${head("Price", "number")}${head("Took", "number")}${head("Cache")}
      </tr></thead>
      <tbody>${answer.calls.map((call) => html`
        <${Row} key=${call.id} call=${call} most=${most} conversation=${answer.conversations[call.conversation]} />`)}
      </tbody>
    </table>
    ${answer.earlier > 0 && !inside && html`
      <p><button class="button" onClick=${more}>Show earlier calls (${number(answer.earlier)} more)</button></p>`}`;
}

const UNKNOWN = html`<span class="quiet">unknown</span>`;

function Row({ call, most, conversation }) {
  const { tokens, read } = partsOf(call);
  const { look, sign, word } = verdictOf(call);
  const why = whyWords(call);
  const told = [call.model, call.calls?.length && `calls ${call.calls.join(", ")}`, call.stop].filter(Boolean);
  const first = call.first_ms === undefined ? undefined : `first byte after ${seconds(call.first_ms)}`;
  const hasOutput = call.output !== undefined && call.output !== null;
  return html`
    <tr class="call-row is-${look}">
      <td class="cell-call">
        <a data-step href=${callHref(call.id, call.reason === "prefix changed" ? "changes" : "parts")}>
          <time datetime=${call.at}>${clock(call.at)}</time></a>
        <span class="small quiet under">
          <span class="conversation-dot conversation-${(call.conversation ?? 0) % 6}"></span>
          <span class="foreign conversation-short" title=${conversation?.name}>
            ${conversation?.title || conversation?.name}</span></span>
        ${call.words && html`<span class="small under foreign said-words">${call.words}</span>`}
        <span class="small quiet under foreign">${told.join(" · ")}</span></td>
      <td class="cell-bar"><${TokenBar} call=${call} most=${most} /></td>
      <td class="number cell-in" data-after="in">${number(tokens)}</td>
      <td class="number cell-read" data-after="from the cache">${call.said === false ? UNKNOWN
        : html`${number(read)} <span class="quiet">${percent(read / (tokens || 1))}</span>`}${isOff(call)
          && html`<span class="small under quiet">${number(call.predicted)} predicted</span>`}</td>
      <td class="number cell-out" data-after="out">${hasOutput ? number(call.output) : UNKNOWN}</td>
      <td class="number cell-price">${bound(call.dollars, call.at_least)}${call.cost
        ? html`<span class="small under lost">${money(call.cost)} lost</span>` : ""}</td>
      <td class="number cell-first" title=${first}>${seconds(call.whole_ms ?? call.first_ms)}</td>
      <td class="cell-verdict"><span class="verdict is-${look}"><span aria-hidden="true">${sign}</span> ${word}</span>
        ${why && html`<span class="small under foreign">${why}</span>`}</td>
    </tr>`;
}

// Ours are other counts than the provider's: what is near is the same.
function isOff(call) {
  const { tokens, read } = partsOf(call);
  return call.predicted !== undefined && call.predicted !== null && Math.abs(call.predicted - read) > tokens * 0.05;
}
