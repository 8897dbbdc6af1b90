// The bill in a sentence, and which run it is of.
import { go } from "overture/address.js";
import { html } from "overture/html.js";
import { runHref } from "overture/parts/call_address.js";
import { inside } from "overture/server.js";
import { many, money } from "overture/words.js";

export function CallBill({ answer, run, shown }) {
  return html`
    <div class="calls-head">
      <h1 class="bill foreign">${answer.bill ? figures(answer.bill) : "Calls"}</h1>
      <${Runs} answer=${answer} run=${run} />
    </div>
    <p class="small quiet calls-under"><span class="foreign">${shown?.command || shown?.program || "a tap that was listening"}</span> · ${many(answer.total, "call")} in ${many(answer.talks.length, "conversation")}
      ${answer.judged < answer.total && html` · <span role="status">${answer.total - answer.judged} being looked at</span>`}
      ${shown && !shown.ended && html` · <span class="tag live-run">not ended</span>`}</p>
    ${shown?.missing.map((said) => html`<p class="small calls-missing foreign">not recorded: ${said}</p>`)}`;
}

// Amounts stand out.
function figures(sentence) {
  return sentence.split(/(\$[\d.,]*\d)/).map((part) => (part.startsWith("$") ? html`<b>${part}</b>` : part));
}

function Runs({ answer, run }) {
  if (inside || answer.runs.length < 2) return null;
  const choose = (event) => (event.target.value ? (location.hash = runHref(event.target.value)) : go("calls"));
  return html`
    <label class="row runs">Run
      <select class="field" value=${run || ""} onChange=${choose}>
        <option value="">the newest</option>
        ${answer.runs.map((each) => html`<option key=${each.id} value=${each.id}>${named(each)}</option>`)}
      </select>
    </label>${answer.older > 0 && html`<span class="small quiet">and ${answer.older} older</span>`}`;
}

function named(run) {
  const at = new Date(run.started);
  const when = Number.isNaN(at.getTime()) ? run.started : at.toLocaleString("en", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });
  return `${when}  ${run.program || "tap"} · ${many(run.calls, "call")} · ${money(run.dollars)}`;
}
