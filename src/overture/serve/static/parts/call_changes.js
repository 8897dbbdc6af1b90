// What a call has that the one before it in its conversation had not: the first byte that differs, then all of it.
import { html } from "overture/html.js";
import { Busy } from "overture/parts/shown_problem.js";
import { WordDiff } from "overture/parts/word_diff.js";
import { useAnswer } from "overture/use_answer.js";
import { many, number } from "overture/words.js";

const CHANGES = { changed: "rewritten", added: "added", removed: "removed" };

export function CallChanges({ call }) {
  if (!call.before) return html`<div class="empty"><b>Nothing to compare it with</b>No call of its conversation was answered before it.</div>`;
  return html`<${Told} call=${call} />`;
}

function Told({ call }) {
  const { answer, problem } = useAnswer(`/page/call/${encodeURIComponent(call.row.id)}/changes`, call.before);
  if (problem) return html`<div class="empty" role="alert"><span class="foreign">${problem.message}</span></div>`;
  if (!answer) return html`<${Busy} word="Comparing…" />`;
  return html`
    <${First} first=${answer.first} />
    ${answer.parts.map((part, at) => html`<${Part} key=${at} part=${part} />`)}
    ${answer.more > 0 && html`<p class="quiet">and ${many(answer.more, "message")} more that changed</p>`}
    <p class="quiet">${answer.same > 0 ? `${many(answer.same, "part")} of messages before that ${answer.same === 1 ? "is" : "are"} the same.` : ""}</p>`;
}

function First({ first }) {
  if (first.change === "same" || first.change === "appended") {
    return html`<p class="sentence">All that was sent before is sent again, byte for byte${first.added ? ", and more behind it" : ""}: the cache can give it back.</p>`;
  }
  const where = first.byte === undefined || first.byte === null ? "" : html` at byte <b>${number(first.byte)}</b>`;
  return html`
    <p class="sentence">The first difference is${where}${first.section && html`, in <b class="foreign">${first.section}</b>`}${first.cause && html`: <span class="foreign">${first.cause}</span>`}. Everything from there on is paid for in full again.</p>
    ${(first.before || first.after) && html`<${Around} before=${first.before || ""} after=${first.after || ""} />`}`;
}

// The text around the first difference, in both; the sign at which they part is marked.
function Around({ before, after }) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const line = (text, kind, words) => html`
    <div class="word-line is-${kind}"><span class="sign" aria-hidden="true">${kind === "gone" ? "−" : "+"}</span><span class="aside-word">${words}</span>
      <span class="foreign text">${text.slice(0, same)}<mark class="first-byte">${text.slice(same, same + 1) || " "}</mark>${text.slice(same + 1)}</span></div>`;
  return html`<div class="card word-diff first-around" role="group" aria-label="The first difference">${line(before, "gone", "before:")}${line(after, "new", "after:")}</div>`;
}

function Part({ part }) {
  return html`
    <section class="card turn-block" aria-label="${part.kind} ${part.name}">
      <header><span class="small quiet">${part.kind}</span><h2 class="foreign">${part.name}</h2><span class="change is-${part.change}">${CHANGES[part.change]}</span></header>
      ${part.words.length > 0 && html`<${WordDiff} words=${part.words} />`}
      ${part.cut > 0 && html`<p class="small quiet told-why">${number(part.cut)} more characters are not shown</p>`}
    </section>`;
}
