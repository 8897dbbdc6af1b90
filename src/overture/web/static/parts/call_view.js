// One call from all sides: its verdict, and behind the tabs what it is made of, said, and what came back.
import { html } from "overture/html.js";
import { backHref, callHref, useBack } from "overture/parts/call_address.js";
import { CallAnswer } from "overture/parts/call_answer.js";
import { CallChanges } from "overture/parts/call_changes.js";
import { CallParts } from "overture/parts/call_parts.js";
import { CallFiles, CallPrompt } from "overture/parts/call_prompt.js";
import { TokenBar } from "overture/parts/call_table.js";
import { CopyCall } from "overture/parts/one_call/copy_call.js";
import { CallMessages } from "overture/parts/one_call/messages.js";
import { CallRequest } from "overture/parts/one_call/request.js";
import { LEGEND, partsOf, verdictOf, whyWords } from "overture/parts/call_words.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say } from "overture/say.js";
import { inside } from "overture/server.js";
import { useAnswer } from "overture/use_answer.js";
import { bound, clock, money, number, seconds } from "overture/words.js";

const TABS = {
  parts: say("MadeOf"), prompt: say("Prompt"), messages: say("Messages"), changes: say("WhatChanged"), files: say("Files"), request: say("Request"),
  answer: say("Answer"),
};
const SHOWN = {
  parts: CallParts, prompt: CallPrompt, messages: CallMessages, changes: CallChanges, files: CallFiles, request: CallRequest, answer: CallAnswer,
};

export function CallView({ page, id, tab, words }) {
  const { answer, problem } = useAnswer(`/page/call/${encodeURIComponent(id)}`, page.recorded);
  useBack(answer ? backHref(answer.run) : "#/calls");
  const Shown = SHOWN[tab] || CallParts;
  return html`
    <div class="page-view call-view">
      ${problem && !answer && html`<h1>${say("Call")}</h1><${ShownProblem} problem=${problem} /><p><a href="#/calls">${say("AllCalls")}</a></p>`}
      ${!answer && !problem && html`<h1>${say("Call")}</h1><${Busy} />`}
      ${answer && html`
        <${Head} call=${answer} tab=${tab} />
        <nav class="call-tabs" aria-label=${say("AboutThisCall")}>${Object.entries(TABS).filter(([name]) => isThere(id, name)).map(([name, words]) => html`
          <a key=${name} href=${callHref(id, name)} aria-current=${(SHOWN[tab] ? tab : "parts") === name ? "page" : undefined} ref=${(SHOWN[tab] ? tab : "parts") === name ? inView : undefined}>${words}</a>`)}</nav>
        <${Shown} page=${page} call=${answer} words=${words} key=${words} />`}
    </div>`;
}

// In a narrow window the tabs scroll: the chosen one is seen.
function inView(tab) {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// A page that is a file has the prompts of some calls.
function isThere(id, tab) {
  const asked = { prompt: "prompt", files: "prompt", changes: "changes", messages: "messages" }[tab];
  return !inside || !asked || `/page/call/${id}/${asked}` in inside;
}

function Head({ call, tab }) {
  const { row } = call;
  const { look, sign, word } = verdictOf(row);
  const why = whyWords(row);
  return html`
    <p class="call-crumbs small"><a href=${backHref(call.run)}><span aria-hidden="true">←</span> ${say("AllCalls")}</a><span class="spring"></span>
      ${call.before ? html`<a href=${callHref(call.before, tab)} rel="prev"><span aria-hidden="true">‹</span> ${say("theCallBefore")}</a>` : html`<span class="quiet">${say("theFirstOfItsConversation")}</span>`}
      ${call.after && html`<a href=${callHref(call.after, tab)} rel="next">${say("theNext")} <span aria-hidden="true">›</span></a>`}</p>
    <${CopyCall} call=${call} />
    <h1><span class="verdict is-${look}"><span aria-hidden="true">${sign}</span> ${word}</span>${why && html`<span class="foreign">: ${why}</span>`}</h1>
    <p class="quiet call-lead"><span class="foreign" title=${call.why}>${call.conversation || say("aConversation")}</span> · <time datetime=${row.at}>${clock(row.at)}</time> · <span class="foreign">${row.model || say("noModelNamed")}</span> · <span class="foreign">${call.host}${call.path}</span> · <span class="code">${row.id}</span></p>
    <${TokenBar} call=${row} most=${row.tokens || 1} />
    <${Figures} call=${call} />
    ${call.ruled_out.length > 0 && html`<p class="call-note"><b>${say("RuledOut")}</b> <span class="foreign">${call.ruled_out.join("; ")}</span></p>`}
    ${call.diagnosis && html`<p class="call-note"><b>${say("TheProviderOnItsCache")}</b> <span class="foreign">${call.diagnosis}</span></p>`}
    ${call.error && html`<p class="call-note is-bad"><b>${say("StatusLabel", { status: String(row.status || say("none")) })}</b> <span class="foreign">${call.error}</span></p>`}
    ${call.missing.map((each) => html`<p class="call-note"><b>${say("NotRecorded")}</b> <span class="foreign">${each}</span></p>`)}`;
}

function Figures({ call }) {
  const { row } = call;
  const parts = partsOf(row);
  const told = [
    ...LEGEND.map(([look, words]) => [number(parts[look]), words, look]),
    [row.predicted === undefined || row.predicted === null ? "…" : number(row.predicted), say("predictedFromTheCache")],
    [row.output === undefined || row.output === null ? "?" : number(row.output), say("tokensOut")],
    [bound(row.dollars, row.at_least), row.cost ? html`<span class="lost">${say("moneyOfItLost", { money: money(row.cost) })}</span>` : say("price")],
    [seconds(row.first_ms) || "?", say("firstByteTimeAll", { time: seconds(call.whole_ms) || "?" })],
  ];
  return html`<ul class="call-figures">${told.map(([value, words, look], at) => html`<li key=${at}><b>${value}</b><span class="small quiet">${look && html`<span class="swatch is-call-${look}"></span>`}${words}</span></li>`)}</ul>
    ${row.said === false && html`<p class="small quiet">${say("ProviderSaidNothingWhatCounted")}</p>`}`;
}
