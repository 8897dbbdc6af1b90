// Tools in a table of parts: a click on a name shows what it is for, and its parameters.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { pathOf } from "overture/parts/one_call/copy_call.js";
import { LongText } from "overture/parts/one_call/long_text.js";
import { holds, Marked, useFound } from "overture/parts/one_call/marked.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say } from "overture/say.js";
import { inside } from "overture/server.js";
import { useAnswer } from "overture/use_answer.js";

// A page that is a file has those of some calls.
export const holdsTools = (call) => !inside || pathOf(call, "tools") in inside;

// `row` draws a part with this for its name.
export function ToolRows({ call, parts, words, row }) {
  const [open, setOpen] = useState(new Set());
  const toggle = (at) => setOpen((had) => { const now = new Set(had); if (!now.delete(at)) now.add(at); return now; });
  const name = (part, at) => html`<button class="json-fold" data-step aria-expanded=${open.has(at) ? "true" : "false"} onClick=${() => toggle(at)}><span class="twist" aria-hidden="true"></span><span class="foreign">${part.name}</span></button>`;
  return html`<tbody>${words && html`<${OpenFound} call=${call} words=${words} onFound=${setOpen} />`}
    ${parts.map((part, at) => html`${row(part, name(part, at), at)}${open.has(at) && html`<tr class="tool-told"><td colspan="4"><${Told} call=${call} at=${at} words=${words} /></td></tr>`}`)}</tbody>`;
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

function Told({ call, at, words }) {
  const { answer, problem } = useAnswer(pathOf(call, "tools"), 0);
  useFound(words, Boolean(answer));
  if (problem) return html`<${ShownProblem} problem=${problem} />`;
  if (!answer) return html`<${Busy} />`;
  const tool = answer[at];
  return html`
    ${tool.description && html`<p class="tool-text foreign"><${LongText} text=${tool.description} first=${1_500} words=${words} /></p>`}
    ${tool.parameters.length > 0 ? html`<${Parameters} tool=${tool} words=${words} />` : html`<p class="small quiet">${say("ItTakesNoParameters")}</p>`}
    ${tool.more > 0 && html`<p class="small quiet">${say("andNMore", { n: tool.more })}</p>`}
    ${tool.others.map(([name, value]) => html`<p class="small" key=${name}><span class="code foreign">${name}</span>: <span class="code foreign"><${LongText} text=${value} words=${words} /></span></p>`)}`;
}

function Parameters({ tool, words }) {
  return html`
    <table class="table tool-table">
      <caption class="aside-word">${say("ParametersOfTool", { tool: tool.name })}</caption>
      <thead><tr><th scope="col">${say("Parameter")}</th><th scope="col">${say("Type")}</th><th scope="col">${say("About")}</th></tr></thead>
      <tbody>${tool.parameters.map((each) => html`
        <tr key=${each.name}>
          <th scope="row"><span class="code foreign"><${Marked} text=${each.name} words=${words} /></span>${each.required && html` <span class="small required">${say("required")}</span>`}</th>
          <td><span class="code foreign">${each.type}</span></td>
          <td class="tool-text foreign"><${LongText} text=${each.description} words=${words} /></td>
        </tr>`)}</tbody>
    </table>`;
}
