// The request as it was written: its body as a tree or plain, and the heads of both sides.
import { useMemo, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { pathOf, whyNot } from "overture/parts/one_call/copy_call.js";
import { bodyOf } from "overture/parts/one_call/held_texts.js";
import { JsonTree, readJson } from "overture/parts/one_call/json_tree.js";
import { LongText } from "overture/parts/one_call/long_text.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";
import { bytes } from "overture/words.js";

export function CallRequest({ call }) {
  const why = whyNot(call);
  return why ? html`<div class="empty"><b>${say("RequestCantShownWritten")}</b>${why}</div>` : html`<${Asked} call=${call} />`;
}

function Asked({ call }) {
  const { answer, problem } = useAnswer(pathOf(call, "request"), 0);
  if (problem) return html`<${ShownProblem} problem=${problem} />`;
  if (!answer) return html`<${Busy} />`;
  return html`
    <p class="call-url"><b class="code">${answer.method}</b> <span class="code foreign">${answer.url}</span></p>
    ${answer.over === "websocket" && html`<p class="small quiet">${say("WentWebSocketSameRequestOver")}</p>`}
    <${Head} title=${say("HeadOfTheRequest")} headers=${answer.request_headers} />
    <${Head} title=${say("HeadOfTheAnswer")} headers=${answer.response_headers} />
    ${answer.kept === "whole" ? html`<${Body} request=${answer} />` : html`<p class="call-note">${say("BodyRequestNotKept")}</p>`}`;
}

function Head({ title, headers }) {
  return html`
    <details class="call-head"><summary>${title} <span class="quiet">${headers.length}</span></summary>
      <dl class="head-lines">${headers.map(([name, value], at) => html`<div key=${at}><dt><span class="code foreign">${name}</span></dt><dd><span class="code foreign">${value}</span></dd></div>`)}</dl></details>`;
}

function Body({ request }) {
  const body = useMemo(() => bodyOf(request), [request]);
  const value = useMemo(() => readJson(body), [body]);
  const [plain, setPlain] = useState(false);
  const choice = (words, wanted) => html`<button class="button" aria-pressed=${plain === wanted ? "true" : "false"} onClick=${() => setPlain(wanted)}>${words}</button>`;
  return html`
    <div class="body-head"><h2>${say("Body")} <span class="quiet">${bytes(request.size)}</span></h2>
      ${value !== undefined && html`<span class="choice" role="group" aria-label=${say("HowTheBodyIsShown")}>${choice(say("AsATree"), false)}${choice(say("AsItWasWritten"), true)}</span>`}</div>
    ${!request.is_text && html`<p class="small quiet">${say("SomeBytesNoTextEach", { sign: "\ufffd" })}</p>`}
    ${value === undefined || plain
      ? html`<pre class="card call-text is-tall foreign" tabindex="0" role="region" aria-label=${say("Body")}><${LongText} text=${body} first=${20_000} /></pre>`
      : html`<div class="card tree-card"><${JsonTree} value=${value} label=${say("Body")} /></div>`}`;
}
