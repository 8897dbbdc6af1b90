// What a call has that the one before it in its conversation had not: the first byte that differs, then all of it.
import { html } from "overture/html.js";
import { Busy } from "overture/parts/shown_problem.js";
import { WordDiff } from "overture/parts/word_diff.js";
import { say, tell } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";
import { number } from "overture/words.js";

const CHANGES = { changed: say("rewritten"), added: say("added"), removed: say("removed") };
const KINDS = { tool: say("tool"), section: say("section"), message: say("message") };

export function CallChanges({ call }) {
  if (!call.before) return html`<div class="empty"><b>${say("NothingToCompareItWith")}</b>${say("NoCallConversationAnsweredBefore")}</div>`;
  return html`<${Told} call=${call} />`;
}

function Told({ call }) {
  const { answer, problem } = useAnswer(`/page/call/${encodeURIComponent(call.row.id)}/changes`, call.before);
  if (problem) return html`<div class="empty" role="alert"><span class="foreign">${problem.message}</span></div>`;
  if (!answer) return html`<${Busy} word=${say("Comparing")} />`;
  return html`
    <${First} first=${answer.first} />
    ${answer.parts.map((part, at) => html`<${Part} key=${at} part=${part} />`)}
    ${answer.more > 0 && html`<p class="quiet">${say("nMessagesMoreChanged", { n: answer.more })}</p>`}
    <p class="quiet">${answer.same > 0 ? say("nPartsMessagesBeforeSame", { n: answer.same }) : ""}</p>`;
}

function First({ first }) {
  if (first.change === "same" || first.change === "appended") {
    return html`<p class="sentence">${first.added ? say("AllIsSentAgainAndMore")
      : say("AllIsSentAgain")}</p>`;
  }
  return html`
    <p class="sentence">${where(first)}${first.cause && html`: <span class="foreign">${first.cause}</span>`}. ${say("EverythingTherePaidFullAgain")}</p>
    ${(first.before || first.after) && html`<${Around} before=${first.before || ""} after=${first.after || ""} />`}`;
}

function where({ byte, section }) {
  const slots = { byte: html`<b>${number(byte ?? 0)}</b>`, section: html`<b class="foreign">${section}</b>` };
  if (byte === undefined || byte === null) return section ? tell("FirstDifferenceInSection", slots) : say("FirstDifference");
  return section ? tell("FirstDifferenceAtByteInSection", slots) : tell("FirstDifferenceAtByte", slots);
}

// The text around the first difference, in both; the sign at which they part is marked.
function Around({ before, after }) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const line = (text, kind, words) => html`
    <div class="word-line is-${kind}"><span class="sign" aria-hidden="true">${kind === "gone" ? "−" : "+"}</span><span class="aside-word">${words}</span>
      <span class="foreign text">${text.slice(0, same)}<mark class="first-byte">${text.slice(same, same + 1) || " "}</mark>${text.slice(same + 1)}</span></div>`;
  return html`<div class="card word-diff first-around" role="group" aria-label=${say("FirstDifference")}>${line(before, "gone", say("beforeLabel"))}${line(after, "new", say("afterLabel"))}</div>`;
}

function Part({ part }) {
  const name = part.kind === "message" ? part.name : part.name;
  return html`
    <section class="card turn-block" aria-label="${KINDS[part.kind]} ${name}">
      <header><span class="small quiet">${KINDS[part.kind]}</span><h2 class="foreign">${name}</h2><span class="change is-${part.change}">${CHANGES[part.change]}</span></header>
      ${part.words.length > 0 && html`<${WordDiff} words=${part.words} />`}
      ${part.cut > 0 && html`<p class="small quiet told-why">${say("nMoreCharactersNotShown", { n: part.cut })}</p>`}
    </section>`;
}
