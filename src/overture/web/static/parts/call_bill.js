// The bill in a sentence, and which run it is of.
import { go } from "overture/address.js";
import { html } from "overture/html.js";
import { runHref } from "overture/parts/call_address.js";
import { say, tell } from "overture/say.js";
import { inside } from "overture/server.js";
import { isCounted } from "overture/parts/call_words.js";
import { bound, moment, money, percent } from "overture/words.js";

export function CallBill({ answer, run, shown }) {
  return html`
    <div class="calls-head">
      <h1 class="bill foreign">${answer.bill ? figures(answer.bill) : say("Calls")}</h1>
      <${Runs} answer=${answer} run=${run} />
    </div>
    <p class="small quiet calls-under"><span class="foreign">${shown?.command || shown?.program || say("aTapThatWasListening")}</span> · ${say("callsInConversations", { calls: calls(answer.total), conversations: say("nConversations", { n: answer.conversations.length }) })}
      ${answer.judged > 0 && html` · <span class="totals">${!isCounted(answer) ? say("callTotalsPredicted", { input: answer.tokens, cost: bound(answer.dollars, answer.at_least) }) : say("callTotals", { input: answer.tokens, output: answer.output, read: answer.read, share: percent(answer.read / (answer.tokens || 1)), cost: bound(answer.dollars, answer.at_least), lost: money(answer.cost || 0) })}</span>`}
      ${answer.judged < answer.total && html` · <span role="status">${say("nBeingLookedAt", { n: answer.total - answer.judged })}</span>`}
      ${shown && !shown.ended && html` · <span class="tag live-run">${say("notEnded")}</span>`}</p>
    ${answer.bill && answer.not_priced.length > 0 && html`<p class="small quiet foreign">${say("notIncludedWhat", { what: answer.not_priced.join(", ") })}</p>`}
    ${answer.left_out > 0 && html`<p class="small quiet">${leftOut(answer.left_out, "overture tap report --since all")}</p>`}
    ${shown?.missing.map((each) => html`<p class="small calls-missing foreign">${say("notRecordedWhat", { what: each })}</p>`)}`;
}

// The page holds the newest calls of a store; what tells of the others.
export const leftOut = (n, command) => tell("nOlderCallsRecordedNot", { n, command: html`<code>${command}</code>` });

const calls = (n) => say("nCalls", { n });

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
        <option value="">${say("theNewest")}</option>
        ${answer.runs.map((each) => html`<option key=${each.id} value=${each.id}>${named(each)}</option>`)}
      </select>
    </label>${answer.older > 0 && html`<span class="small quiet">${say("andNOlder", { n: answer.older })}</span>`}`;
}

function named(run) {
  return `${moment(run.started)}  ${run.program || "tap"} · ${calls(run.calls)} · ${bound(run.dollars, run.at_least)}`;
}
