// The contents of one call as they were sent: messages, tools, and the request.
import { useMemo, useState } from "preact/hooks";
import { Fold, holds, JsonTree, LongText, Marked, readJson, useFound } from "overture/calls/long_text.js";
import { html } from "overture/html.js";
import { ask, inside, useAnswer } from "overture/server.js";
import { Busy, copyText, Icon, ShownProblem } from "overture/widgets.js";
import { bytes, number } from "overture/words.js";

const MAX_PARTS = 150; // parts of messages that are drawn at first, the newest
const NOT_HELD = "This file does not contain it. Run overture serve to see it.";
const NO_BODY = "The body of this request was not recorded.";

export const pathOf = (call, side) => `/page/call/${encodeURIComponent(call.row.id)}/${side}`;

// One side of a call, drawn once it is here.
function Side({ call, side, draw }) {
  const { answer, problem } = useAnswer(pathOf(call, side), 0);
  if (problem) return html`<${ShownProblem} problem=${problem} />`;
  return answer ? draw(answer) : html`<${Busy} />`;
}

// Texts of a page that is a file: calls share them, and name them by their numbers. A part of a body is its text's
// number times this, and the way in which it is written.
const WAYS = 8;
const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
const plain = (text) => text;
const string = (text) => JSON.stringify(text).slice(1, -1);
const WRITTEN = [
  plain, plain, string, (text) => string(text).replace(/[^ -~]/g, escaped),
  (text) => string(text).replace(/[<>&\u2028\u2029]/g, escaped),
];

function bodyOf(request) {
  if (!request.parts) return request.body;
  const texts = inside["/page/texts"];
  return request.parts.map((part) => WRITTEN[part % WAYS](texts[Math.floor(part / WAYS)])).join("");
}

const textOf = (row) => ("at" in row ? inside["/page/texts"][row.at] : row.text);

// What was said: every part of every message, in order. Calls of tools are trees; long texts show their beginning.
export function CallMessages({ call, words }) {
  const draw = (rows) => html`<${Messages} rows=${rows} words=${words} />`;
  return html`<${Side} call=${call} side="messages" draw=${draw} />`;
}

function Messages({ rows, words }) {
  const [all, setAll] = useState(false);
  useFound(words, true, true);
  if (!rows.length) return html`<div class="empty"><b>No messages recorded</b></div>`;
  const isEarly = rows.slice(0, -MAX_PARTS).some((row) => holds(textOf(row), words));
  const from = all || isEarly ? 0 : Math.max(rows.length - MAX_PARTS, 0);
  return html`
    ${from > 0 && html`
      <p><button class="button" onClick=${() => setAll(true)}>Show earlier parts (${number(from)} more)</button></p>`}
    <ol class="messages">${rows.slice(from).map((row, at) => html`
      <${Part} key=${from + at} row=${row} words=${words} />`)}</ol>`;
}

function Part({ row, words }) {
  const text = textOf(row);
  const what = row.what ?? "text";
  const hit = holds(text, words);
  const tree = what === "tool call" && !hit ? readJson(text) : undefined;
  const who = row.role === "user" ? "user" : row.role === "assistant" || row.role === "model" ? "model" : "other";
  const hasNumber = row.message !== undefined && row.message !== null;
  return html`
    <li class="card message is-${who}">
      <header data-step tabindex="-1"><b class="foreign">${row.role}</b>
        ${what !== "text" && html`<span class="tag plain">${what}</span>`}
        ${row.mark && html`<span class="tag">cache mark</span>`}<span class="spring"></span>
        ${hasNumber && html`<span class="small quiet number">${number(row.message + 1)}</span>`}</header>
      ${tree !== undefined ? html`<${JsonTree} value=${tree} open=${2} label=${what} />` : html`
        <div class="message-text foreign"><${LongText} text=${text} first=${2_000} words=${hit ? words : ""} /></div>`}
    </li>`;
}

// Tools in a table of parts: a click on a name shows what it is for. `row` draws a part with this for its name.
export function ToolRows({ call, parts, words, row }) {
  const [open, setOpen] = useState(new Set());
  const toggle = (at) => setOpen((had) => had.symmetricDifference(new Set([at])));
  const name = (part, at) => html`<${Fold} open=${open.has(at)} onToggle=${() => toggle(at)}>
    <span class="foreign">${part.name}</span><//>`;
  const draw = (at) => (tools) => html`<${Tool} tool=${tools[at]} words=${words} />`;
  const told = (at) => html`
    <tr class="tool-told"><td colspan="4"><${Side} call=${call} side="tools" draw=${draw(at)} /></td></tr>`;
  return html`<tbody>${words && html`<${OpenFound} call=${call} words=${words} onFound=${setOpen} />`}
    ${parts.map((part, at) => html`${row(part, name(part, at), at)}${open.has(at) && told(at)}`)}</tbody>`;
}

// Whoever looked for words finds the tools open that hold them.
function OpenFound({ call, words, onFound }) {
  const { answer } = useAnswer(pathOf(call, "tools"), 0);
  const [done, setDone] = useState(false);
  if (answer && !done) {
    setDone(true);
    onFound(new Set(answer.flatMap((tool, at) => (holds(JSON.stringify(tool), words) ? [at] : []))));
  }
  return null;
}

function Tool({ tool, words }) {
  useFound(words);
  return html`
    ${tool.description && html`
      <p class="tool-text foreign"><${LongText} text=${tool.description} first=${1_500} words=${words} /></p>`}
    ${tool.parameters.length > 0 ? html`<${Parameters} tool=${tool} words=${words} />`
      : html`<p class="small quiet">It takes no parameters.</p>`}
    ${tool.more > 0 && html`<p class="small quiet">and ${number(tool.more)} more</p>`}
    ${tool.others.map(([name, value]) => html`
      <p class="small" key=${name}><span class="code foreign">${name}</span>:${" "}
      <span class="code foreign"><${LongText} text=${value} words=${words} /></span></p>`)}`;
}

function Parameters({ tool, words }) {
  return html`
    <table class="table tool-table">
      <caption class="aside-word">Parameters of ${tool.name}</caption>
      <thead><tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">About</th></tr></thead>
      <tbody>${tool.parameters.map((each) => html`
        <tr key=${each.name}>
          <th scope="row"><span class="code foreign"><${Marked} text=${each.name} words=${words} /></span>
            ${each.required && html` <span class="small required">required</span>`}</th>
          <td><span class="code foreign">${each.type}</span></td>
          <td class="tool-text foreign"><${LongText} text=${each.description} words=${words} /></td>
        </tr>`)}</tbody>
    </table>`;
}

// Why a request can't be shown or copied; empty where it can.
function whyNot(call) {
  if (call.request === "nothing") return "It comes from a log that does not contain it.";
  return inside && !(pathOf(call, "request") in inside) ? NOT_HELD : "";
}

// The request as it was written: its body as a tree or plain, and the heads of both sides.
export function CallRequest({ call }) {
  const why = whyNot(call);
  if (why) return html`<div class="empty"><b>The request can't be shown as sent</b>${why}</div>`;
  return html`<${Side} call=${call} side="request" draw=${(request) => html`<${Request} request=${request} />`} />`;
}

function Request({ request }) {
  return html`
    <p class="call-url"><b class="code">${request.method}</b> <span class="code foreign">${request.url}</span></p>
    ${request.over === "websocket" && html`
      <p class="small quiet">This was sent by WebSocket; here is the same request over HTTP.</p>`}
    <${Headers} title="Request headers" headers=${request.request_headers} />
    <${Headers} title="Response headers" headers=${request.response_headers} />
    ${request.kept === "whole" ? html`<${Body} request=${request} />` : html`<p class="call-note">${NO_BODY}</p>`}`;
}

function Headers({ title, headers }) {
  return html`
    <details class="call-head"><summary>${title} <span class="quiet">${headers.length}</span></summary>
      <dl class="head-lines">${headers.map(([name, value], at) => html`
        <div key=${at}><dt><span class="code foreign">${name}</span></dt>
          <dd><span class="code foreign">${value}</span></dd></div>`)}</dl></details>`;
}

function Body({ request }) {
  const body = useMemo(() => bodyOf(request), [request]);
  const value = useMemo(() => readJson(body), [body]);
  const [isPlain, setPlain] = useState(false);
  const choice = (words, wanted) => html`
    <button class="button" aria-pressed=${isPlain === wanted ? "true" : "false"} onClick=${() => setPlain(wanted)}>
      ${words}</button>`;
  return html`
    <div class="body-head"><h2>Body <span class="quiet">${bytes(request.size)}</span></h2>
      ${value !== undefined && html`<span class="choice" role="group" aria-label="How the body is shown">
        ${choice("As a tree", false)}${choice("As sent", true)}</span>`}</div>
    ${!request.is_text && html`
      <p class="small quiet">Some of its bytes are not text; each is shown as ${"\ufffd"}.</p>`}
    ${value === undefined || isPlain
      ? html`<pre class="card call-text is-tall foreign" tabindex="0" role="region" aria-label="Body">
          <${LongText} text=${body} first=${20_000} /></pre>`
      : html`<div class="card tree-card"><${JsonTree} value=${value} label="Body" /></div>`}`;
}

// As a shell takes it: within single quotes, which end for each one that the text holds.
const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

// Taking a call along: its request as it was written, or a command that sends it again.
export function CopyCall({ call }) {
  const [told, setTold] = useState("");
  const why = whyNot(call);
  const done = async (what, make, reason) => {
    if (reason) return reason;
    try {
      await copyText(make(await ask(pathOf(call, "request"))));
      return `copied: ${what}`;
    } catch (error) {
      return error.message;
    }
  };
  const copy = (what, make, reason) => async () => {
    const now = await done(what, make, reason);
    setTold(now);
    setTimeout(() => setTold((had) => (had === now ? "" : had)), 6000);
  };
  const button = (what, words, make, reason) => html`
    <button class="button" aria-disabled=${reason ? "true" : undefined} title=${reason || undefined}
      aria-description=${reason || undefined} onClick=${copy(what, make, reason)}>
      <${Icon} name="copy" />${words}</button>`;
  const bodyAsText = (request) => {
    if (request.is_text) return bodyOf(request);
    throw new Error(`The body is not text. To print its bytes: overture tap show ${call.row.id} --request`);
  };
  return html`
    <div class="copy-call">
      <span class="small quiet foreign" role="status">${told}</span>
      ${button("the request", "Copy the request", bodyAsText, why || (call.request === "heads" && NO_BODY))}
      ${button("cURL", "Copy as cURL", (request) => request.curl.join(quoted(bodyOf(request))), why)}
    </div>`;
}
