// The answer as it came: when each event was there, its kind and its size; a strip shows when they came.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { pathOf } from "overture/parts/one_call/copy_call.js";
import { LongText } from "overture/parts/one_call/long_text.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say, tell } from "overture/say.js";
import { inside } from "overture/server.js";
import { useAnswer } from "overture/use_answer.js";
import { bytes, number, seconds } from "overture/words.js";

const BINS = 120; // bars of the strip
const MOST = 200; // rows that are drawn together

export function CallEvents({ call }) {
  if (!call.events) {
    return html`<div class="empty"><b>${say("AnswerNotKeptCame")}</b>${tell("AskYouRecordCommand", { command: html`<code>overture tap --events -- ${call.program || "claude"}</code>` })}</div>`;
  }
  if (inside && !(pathOf(call, "events") in inside)) return html`<div class="empty">${say("FileDoesNotHoldRun")}</div>`;
  return html`<${Asked} call=${call} />`;
}

function Asked({ call }) {
  const { answer, problem } = useAnswer(pathOf(call, "events"), 0);
  const [most, setMost] = useState(MOST);
  if (problem) return html`<${ShownProblem} problem=${problem} />`;
  if (!answer) return html`<${Busy} />`;
  const { events } = answer;
  if (!events.length) return html`<div class="empty"><b>${say("NothingCameBack")}</b></div>`;
  return html`
    <${Strip} events=${events} />
    <table class="table event-table">
      <caption class="aside-word">${say("Events")}</caption>
      <thead><tr><th scope="col" class="number">${say("After")}</th><th scope="col">${say("Event")}</th><th scope="col" class="number">${say("Size")}</th></tr></thead>
      <tbody>${events.slice(0, most).map((event, at) => html`<${Row} key=${at} event=${event} />`)}</tbody>
    </table>
    ${events.length > most && html`<p><button class="button" onClick=${() => setMost(most + 5 * MOST)}>${say("showNMore", { n: Math.min(events.length - most, 5 * MOST) })}</button></p>`}
    ${answer.more > 0 && html`<p class="small quiet">${say("andNMore", { n: answer.more })}</p>`}`;
}

function Row({ event }) {
  const [open, setOpen] = useState(false);
  return html`
    <tr>
      <td class="number">${event.ms === null ? "?" : seconds(event.ms)}</td>
      <td><button class="json-fold" data-step aria-expanded=${open ? "true" : "false"} onClick=${() => setOpen(!open)}><span class="twist" aria-hidden="true"></span><span class="code foreign">${event.kind || "data"}</span></button></td>
      <td class="number quiet">${bytes(event.size)}</td>
    </tr>
    ${open && html`<tr class="event-told"><td colspan="3"><pre class="event-text foreign"><${LongText} text=${event.text} first=${4_000} /></pre></td></tr>`}`;
}

// How much came when: as high as the fullest of its bars.
function Strip({ events }) {
  const timed = events.filter((event) => event.ms !== null);
  if (timed.length < 2) return null;
  const first = timed[0].ms, last = Math.max(...timed.map((event) => event.ms), 1);
  const bins = new Array(BINS).fill(0);
  for (const event of timed) bins[Math.min(Math.floor((event.ms / last) * BINS), BINS - 1)] += event.size;
  const most = Math.max(...bins);
  const words = say("eventsTimeFirstAfterFirst", { events: say("nEvents", { n: events.length }), time: seconds(last), first: seconds(first) });
  return html`
    <figure class="event-strip">
      <div class="event-bars" role="img" aria-label=${words}>${bins.map((size, at) => html`<span key=${at} class=${size ? "is-full" : ""} ref=${high(size / most)}></span>`)}</div>
      <figcaption class="small quiet"><span>${number(0)}</span><span>${words}</span><span>${seconds(last)}</span></figcaption>
    </figure>`;
}

const high = (share) => (element) => { if (element) element.style.blockSize = share ? `${Math.max(share * 100, 8)}%` : "1px"; };
