// The bill in a sentence, and which run it is of.
import { go } from "overture/address.js";
import { html } from "overture/html.js";
import { runHref } from "overture/parts/call_address.js";
import { said, say, tell } from "overture/said.js";
import { inside } from "overture/server.js";
import { bound, moment } from "overture/words.js";

export function CallBill({ answer, run, shown }) {
  return html`
    <div class="calls-head">
      <h1 class="bill foreign">${answer.bill ? figures(said(answer.bill)) : say("Calls")}</h1>
      <${Runs} answer=${answer} run=${run} />
    </div>
    <p class="small quiet calls-under"><span class="foreign">${shown?.command || shown?.program || say("a tap that was listening")}</span> · ${say("{calls} in {talks}", { calls: calls(answer.total), talks: say("{n} conversation|{n} conversations", { n: answer.talks.length }) })}
      ${answer.judged < answer.total && html` · <span role="status">${say("{n} being looked at", { n: answer.total - answer.judged })}</span>`}
      ${shown && !shown.ended && html` · <span class="tag live-run">${say("not ended")}</span>`}</p>
    ${answer.bill && answer.not_priced.length > 0 && html`<p class="small quiet foreign">${say("not included: {what}", { what: answer.not_priced.join(", ") })}</p>`}
    ${answer.left_out > 0 && html`<p class="small quiet">${leftOut(answer.left_out, "overture tap report --since all")}</p>`}
    ${shown?.missing.map((each) => html`<p class="small calls-missing foreign">${say("not recorded: {what}", { what: said(each) })}</p>`)}`;
}

// The page holds the newest calls of a store; what tells of the others.
export const leftOut = (n, command) => tell("{n} older call is recorded and not shown here: {command}|{n} older calls are recorded and not shown here: {command}", { n, command: html`<code>${command}</code>` });

const calls = (n) => say("{n} call|{n} calls", { n });

// Amounts stand out.
function figures(sentence) {
  return sentence.split(/(\$\s?\d(?:[\d.,]*\d)?|\d(?:[\d.,\s]*\d)?\s\$)/).map((part, at) => (at % 2 ? html`<b>${part}</b>` : part));
}

function Runs({ answer, run }) {
  if (inside || answer.runs.length < 2) return null;
  const choose = (event) => (event.target.value ? (location.hash = runHref(event.target.value)) : go("calls"));
  return html`
    <label class="row runs">${say("Run")}
      <select class="field" value=${run || ""} onChange=${choose}>
        <option value="">${say("the newest")}</option>
        ${answer.runs.map((each) => html`<option key=${each.id} value=${each.id}>${named(each)}</option>`)}
      </select>
    </label>${answer.older > 0 && html`<span class="small quiet">${say("and {n} older", { n: answer.older })}</span>`}`;
}

function named(run) {
  return `${moment(run.started)}  ${run.program || "tap"} · ${calls(run.calls)} · ${bound(run.dollars, run.at_least)}`;
}
