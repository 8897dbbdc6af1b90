// The calls in rows, newest first: what went in and out, what it cost, what the cache gave beside what was predicted.
import { html } from "overture/html.js";
import { callHref } from "overture/parts/call_address.js";
import { SearchField } from "overture/parts/call_search.js";
import { barWords, grown, partsOf, verdictOf, whyWords } from "overture/parts/call_words.js";
import { say } from "overture/say.js";
import { inside } from "overture/server.js";
import { bound, clock, money, number, percent, seconds } from "overture/words.js";

export function CallTable({ answer, more }) {
  const most = Math.max(...answer.calls.map((call) => partsOf(call).tokens), 1);
  return html`
    <div class="calls-bar"><h2 class="calls-title">${say("Calls")} <span class="quiet">${say("newestFirst")}</span></h2><${SearchField} /></div>
    <table class="table call-table">
      <caption class="aside-word">${say("CallsNewestFirst")}</caption>
      <thead><tr>
        <th scope="col">${say("Call")}</th><th scope="col" class="wide">${say("TokensIn")}</th><th scope="col" class="number">${say("In")}</th><th scope="col" class="number">${say("FromCache")}</th>
        <th scope="col" class="number">${say("Out")}</th><th scope="col" class="number">${say("Price")}</th><th scope="col" class="number">${say("Took")}</th><th scope="col">${say("WhatBecameOfTheCache")}</th>
      </tr></thead>
      <tbody>${answer.calls.map((call) => html`<${Row} key=${call.id} call=${call} most=${most} conversation=${answer.conversations[call.conversation]} />`)}</tbody>
    </table>
    ${answer.earlier > 0 && !inside && html`<p><button class="button" onClick=${more}>${say("ShowEarlierCallsNMore", { n: answer.earlier })}</button></p>`}`;
}

function Row({ call, most, conversation }) {
  const { tokens, read } = partsOf(call);
  const { look, sign, word } = verdictOf(call);
  const why = whyWords(call);
  return html`
    <tr class="call-row is-${look}">
      <td class="cell-call"><a data-step href=${callHref(call.id, call.reason === "prefix changed" ? "changes" : "parts")}><time datetime=${call.at}>${clock(call.at)}</time></a>
        <span class="small quiet under"><span class="conversation-dot conversation-${(call.conversation ?? 0) % 6}"></span><span class="foreign conversation-short" title=${conversation?.name}>${conversation?.title || conversation?.name}</span></span>
        ${call.words && html`<span class="small under foreign said-words">${call.words}</span>`}
        <span class="small quiet under foreign">${[call.model, call.calls?.length && say("callsTools", { tools: call.calls.join(", ") }), call.stop].filter(Boolean).join(" · ")}</span></td>
      <td class="cell-bar"><${TokenBar} call=${call} most=${most} /></td>
      <td class="number cell-in" data-after=${say("in")}>${number(tokens)}</td>
      <td class="number cell-read" data-after=${say("fromTheCache")}>${call.said === false ? html`<span class="quiet">${say("notSaid")}</span>` : html`${number(read)} <span class="quiet">${percent(read / (tokens || 1))}</span>`}${isOff(call) && html`<span class="small under quiet">${say("nPredicted", { n: call.predicted })}</span>`}</td>
      <td class="number cell-out" data-after=${say("out")}>${call.output === undefined || call.output === null ? html`<span class="quiet">${say("notSaid")}</span>` : number(call.output)}</td>
      <td class="number cell-price">${bound(call.dollars, call.at_least)}${call.cost ? html`<span class="small under lost">${say("moneyLost", { money: money(call.cost) })}</span>` : ""}</td>
      <td class="number cell-first" title=${call.first_ms !== undefined ? say("firstByteAfter", { time: seconds(call.first_ms) }) : undefined}>${seconds(call.whole_ms ?? call.first_ms)}</td>
      <td class="cell-verdict"><span class="verdict is-${look}"><span aria-hidden="true">${sign}</span> ${word}</span>${why && html`<span class="small under foreign">${why}</span>`}</td>
    </tr>`;
}

// Ours are other counts than the provider's: what is near is the same.
function isOff(call) {
  const { tokens, read } = partsOf(call);
  return call.predicted !== undefined && call.predicted !== null && Math.abs(call.predicted - read) > tokens * 0.05;
}

export function TokenBar({ call, most }) {
  const { tokens, read, written, fresh } = partsOf(call);
  return html`<div class="call-bar" role="img" aria-label=${barWords(call)} title=${barWords(call)}>
    ${[["read", read], ["written", written], ["fresh", fresh]].map(([name, count]) => count > 0 && html`<span key=${name} class="is-call-${name}" ref=${grown(count)}></span>`)}
    <span class="call-rest" ref=${grown(Math.max(most - tokens, 0))}></span></div>`;
}
