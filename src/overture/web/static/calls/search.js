// Words looked for in all recorded calls: which hold them, and where they stand. A click opens the call there.
import { useEffect, useState } from "preact/hooks";
import { go, href } from "overture/address.js";
import { callHref, leftOut, rememberList, searchHref, useBack } from "overture/calls/address.js";
import { holds, Marked } from "overture/calls/long_text.js";
import { html } from "overture/html.js";
import { ask, inside } from "overture/server.js";
import { ShownProblem } from "overture/widgets.js";
import { count, moment, number } from "overture/words.js";

const TABS = { error: "answer", answer: "answer", message: "messages", system: "prompt", tool: "parts" };
const WHERE = { error: "in the error", answer: "in the response", system: "in the system prompt" };
const NOTHING = { found: [], looked: 0, total: 0, left_out: 0 };
const AROUND = 80; // characters on either side

export function SearchField({ words = "" }) {
  const search = (event) => {
    event.preventDefault();
    const wanted = new FormData(event.target).get("words").trim();
    if (wanted) location.hash = searchHref(wanted);
    else go("calls");
  };
  return html`
    <form class="call-search" role="search" onSubmit=${search}>
      <input class="field" type="search" name="words" data-find maxlength="200" defaultValue=${words}
        placeholder="Find in all calls" aria-label="Find in all calls" />
      <button class="button">Find</button>
    </form>`;
}

export function CallSearch({ words }) {
  const { answer, busy, problem, more } = useSearch(words);
  useBack(href("calls"));
  const rest = busy || problem ? 0 : answer.total - answer.looked;
  return html`
    <div class="page-view calls-view">
      <p class="call-crumbs small"><a href=${href("calls")}><span aria-hidden="true">←</span> All calls</a></p>
      <h1>Calls that contain “${words}”</h1>
      <${SearchField} words=${words} />
      <p class="small quiet" role="status">${busy ? "Searching the calls…" : problem ? "" : progress(answer)}</p>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!busy && !problem && !answer.found.length && !rest && html`
        <div class="empty"><b>No call contains these words</b></div>`}
      <ol class="found-calls">${answer.found.map((each) => html`
        <${Found} key=${each.id} each=${each} words=${words} />`)}</ol>
      ${rest > 0 && !inside && html`
        <p><button class="button" onClick=${more}>Search older calls (${number(rest)} more)</button></p>`}
      ${answer.left_out > 0 && html`<p class="small quiet">${leftOut(answer.left_out, "overture tap list --grep")}</p>`}
    </div>`;
}

// A part of the calls at a time; what was found stays.
function useSearch(words) {
  const [state, setState] = useState({ answer: NOTHING, busy: true, problem: null });
  const [after, setAfter] = useState(0);
  useEffect(rememberList, [words]);
  useEffect(() => {
    const end = new AbortController();
    setState((had) => ({ ...had, busy: true, problem: null }));
    const query = new URLSearchParams({ words, ...(after && { after }) });
    const asking = inside ? Promise.resolve(searchInside(words)) : ask(`/page/search?${query}`, end.signal);
    asking.then(
      (answer) => setState((had) => (
        { answer: { ...answer, found: joined(had.answer.found, answer.found) }, busy: false, problem: null }
      )),
      (problem) => problem.name !== "AbortError" && setState((had) => ({ ...had, busy: false, problem })),
    );
    return () => end.abort();
  }, [words, after]);
  return { ...state, more: () => setAfter(state.answer.looked) };
}

// Calls may have come meanwhile: none is told twice.
function joined(had, found) {
  const known = new Set(had.map((each) => each.id));
  return [...had, ...found.filter((each) => !known.has(each.id))];
}

function progress({ found, looked, total }) {
  const n = count(found.length, "call found", "calls found");
  if (looked >= total) return n;
  return inside ? `${n}; this file contains the texts of ${number(looked)} of ${number(total)} calls`
    : `${n} in the newest ${number(looked)} of ${number(total)}`;
}

function Found({ each, words }) {
  const { where, name } = each;
  const place = { ...WHERE, tool: `in the tool ${name}`, message: `in a message (${name})` }[where];
  return html`
    <li>
      <a data-step href=${callHref(each.id, TABS[where], words)}><time datetime=${each.at}>${moment(each.at)}</time></a>
      <span class="small quiet">
        <span class="foreign">${[each.program, each.model].filter(Boolean).join(" · ")}</span> · ${place}</span>
      <span class="found-text foreign"><${Marked} text=${each.excerpt} words=${words} /></span>
    </li>`;
}

// The same search in a page that is a file: through the calls whose texts it holds.
function searchInside(words) {
  const texts = inside["/page/texts"];
  const held = new Set(texts.flatMap((text, at) => (holds(text, words) ? [at] : []))); // each is looked through once
  const { calls } = inside["/page/calls"];
  const found = calls.flatMap((row) => {
    const place = placeIn(row.id, words, held, texts);
    const { program } = inside[`/page/call/${row.id}`];
    return place ? [{ id: row.id, at: row.at, model: row.model, program, ...place }] : [];
  });
  const looked = calls.filter((row) => `/page/call/${row.id}/messages` in inside).length;
  return { found, looked, total: calls.length, left_out: 0 };
}

// The first place of the words in a call, the newest message before older ones.
function placeIn(id, words, held, texts) {
  const call = inside[`/page/call/${id}`];
  const at = (where, name, text) => ({ where, name, excerpt: excerpt(text, words) });
  if (holds(call.error || "", words)) return at("error", "", call.error);
  if (holds(call.reply, words)) return at("answer", "", call.reply);
  const message = (inside[`/page/call/${id}/messages`] || []).findLast((row) => held.has(row.at));
  if (message) {
    return at("message", (message.what ?? "text") === "text" ? message.role : message.what, texts[message.at]);
  }
  const blocks = inside[`/page/call/${id}/prompt`]?.sheet.blocks || [];
  const blockTexts = blocks.map((each) => each.pieces.map((piece) => piece.text).join(""));
  const block = blockTexts.find((text) => holds(text, words));
  if (block) return at("system", "", block);
  const tools = inside[`/page/call/${id}/tools`];
  const all = tools?.same_as ? inside[tools.same_as] : tools || [];
  const tool = all.find((each) => holds(JSON.stringify(each), words));
  return tool ? at("tool", tool.name, JSON.stringify(tool)) : null;
}

function excerpt(text, words) {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  const start = Math.max(at - AROUND, 0), end = at + words.length + AROUND;
  const shown = text.slice(start, end).replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
}
