// What was said: every part of every message, in order. Calls of tools are trees; long texts show their beginning.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { pathOf } from "overture/parts/one_call/copy_call.js";
import { textOf } from "overture/parts/one_call/held_texts.js";
import { JsonTree, readJson } from "overture/parts/one_call/json_tree.js";
import { LongText } from "overture/parts/one_call/long_text.js";
import { holds, useFound } from "overture/parts/one_call/marked.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";
import { number } from "overture/words.js";

const MOST = 150; // parts that are drawn at first, the newest

export function CallMessages({ call, words }) {
  const { answer, problem } = useAnswer(pathOf(call, "messages"), 0);
  const [all, setAll] = useState(false);
  useFound(words, Boolean(answer), true);
  if (problem) return html`<${ShownProblem} problem=${problem} />`;
  if (!answer) return html`<${Busy} />`;
  if (!answer.length) return html`<div class="empty"><b>${say("NoMessageWasRecorded")}</b></div>`;
  const from = all || answer.slice(0, -MOST).some((row) => holds(textOf(row), words)) ? 0 : Math.max(answer.length - MOST, 0);
  return html`
    ${from > 0 && html`<p><button class="button" onClick=${() => setAll(true)}>${say("ShowEarlierPartsNMore", { n: from })}</button></p>`}
    <ol class="messages">${answer.slice(from).map((row, at) => html`<${Part} key=${from + at} row=${row} words=${words} />`)}</ol>`;
}

function Part({ row, words }) {
  const text = textOf(row);
  const what = row.what ?? "text";
  const hit = holds(text, words);
  const tree = what === "tool call" && !hit ? readJson(text) : undefined;
  return html`
    <li class="card message is-${row.role === "user" ? "user" : row.role === "assistant" || row.role === "model" ? "model" : "other"}">
      <header data-step tabindex="-1"><b class="foreign">${row.role}</b>${what !== "text" && html`<span class="tag plain">${what}</span>`}${row.mark && html`<span class="tag">${say("cacheMark")}</span>`}
        <span class="spring"></span>${row.message !== undefined && row.message !== null && html`<span class="small quiet number">${number(row.message + 1)}</span>`}</header>
      ${tree !== undefined ? html`<${JsonTree} value=${tree} open=${2} label=${what} />` : html`<div class="message-text foreign"><${LongText} text=${text} first=${2_000} words=${hit ? words : ""} /></div>`}
    </li>`;
}
