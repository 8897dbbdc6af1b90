// The calls that a tap has recorded: what each run cost and why, call by call, as they happen.
import { html } from "overture/html.js";
import { CallView } from "overture/parts/call_view.js";
import { placeOf, useCalls } from "overture/parts/call_address.js";
import { CallBill } from "overture/parts/call_bill.js";
import { CallChart } from "overture/parts/call_chart.js";
import { CallSearch } from "overture/parts/call_search.js";
import { CallTable } from "overture/parts/call_table.js";
import { CallConversations } from "overture/parts/call_conversations.js";
import { Path } from "overture/parts/path.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say, tell } from "overture/say.js";

export function CallsView({ page, place }) {
  const at = placeOf(place);
  if (at.call) return html`<${CallView} page=${page} id=${at.call} tab=${at.tab} words=${at.words} key=${at.call} />`;
  if (at.search) return html`<${CallSearch} words=${at.search} key=${at.search} />`;
  return html`<${CallList} page=${page} run=${at.run} conversation=${at.conversation} key=${at.run || ""} />`;
}

function CallList({ page, run, conversation }) {
  const { answer, problem, more } = useCalls(page, run, conversation);
  return html`
    <div class="page-view calls-view">
      ${!answer || isEmpty(answer) ? html`<h1>${say("Calls")}</h1><p class="lead">${say("WhatAgentReallySendsTap")}</p>` : null}
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} />`}
      ${answer && isEmpty(answer) && html`<${Nothing} answer=${answer} />`}
      ${answer && !isEmpty(answer) && html`<${Listed} answer=${answer} run=${run} more=${more} />`}
    </div>`;
}

// Of a store that can't be read now, and of one without a run, there is nothing to list.
const isEmpty = (answer) => Boolean(answer.problem) || !answer.run;

function Nothing({ answer: { problem, store } }) {
  return html`<div class="empty" role="status"><b>${problem ? say("CallsCantReadNow") : say("NoCallRecordedHereYet")}</b>
    <p>${problem ? html`<span class="foreign">${problem}</span>` : tell("RecordWhatProgramSendsCommand", { command: html`<code>overture tap -- claude</code>` })}</p>
    <p class="small">${tell("CallsReadFromStore", { store: html`<${Path} text=${store} />` })}</p></div>`;
}

function Listed({ answer, run, more }) {
  const shown = answer.runs.find((each) => each.id === answer.run);
  return html`
    <${CallBill} answer=${answer} run=${run} shown=${shown} />
    ${answer.total === 0
      ? html`<div class="empty" role="status"><b>${say("NoCallWasSeenYet")}</b>${shown?.ended ? say("ProgramEndedWithoutAskingModel") : say("FirstAppearsHereSoonAnswered")}</div>`
      : html`
        <${CallChart} answer=${answer} />
        <${CallConversations} answer=${answer} run=${run} />
        <${CallTable} answer=${answer} more=${more} />`}`;
}
