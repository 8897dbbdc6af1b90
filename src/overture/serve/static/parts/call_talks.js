// Who spoke: the main agent, its sub-agents, titles and summaries; and what was paid for again, the dearest first.
import { html } from "overture/html.js";
import { runHref } from "overture/parts/call_address.js";
import { inside } from "overture/server.js";
import { many, money, number, percent } from "overture/words.js";

export function CallTalks({ answer }) {
  return html`
    <div class="calls-two">
      <section aria-label="Conversations">
        <h2>Conversations</h2>
        <ul class="talks">${answer.talks.map((talk, at) => html`<${Talk} key=${at} talk=${talk} at=${at} answer=${answer} />`)}</ul>
      </section>
      <section aria-label="Paid again">
        <h2>Paid again</h2>
        ${answer.causes.length
          ? html`<ul class="causes">${answer.causes.map((each) => html`<${Cause} key=${each.reason + each.cause} each=${each} />`)}</ul>`
          : html`<p class="quiet">Nothing that was sent before had to be paid for in full again.</p>`}
      </section>
    </div>`;
}

function Talk({ talk, at, answer }) {
  const chosen = answer.talk === at;
  const name = html`<b class="foreign">${talk.name}</b>`;
  return html`
    <li class="talk-${at % 6}" title=${talk.why}>
      ${inside || answer.talks.length < 2 ? html`<span class="talk-name">${name}</span>`
        : html`<a class="talk-name" data-step href=${runHref(answer.run, chosen ? null : at)} aria-current=${chosen ? "true" : undefined}>${name}${chosen && html` <span class="small">alone; show all</span>`}</a>`}
      <span class="number">${money(talk.dollars)}</span>
      <span class="small quiet">${many(talk.calls, "call")}, ${number(talk.tokens)} in, ${percent(talk.read / (talk.tokens || 1))} from the cache, ${number(talk.output)} out</span>
      <span class="small number">${talk.cost ? html`<span class="lost">${money(talk.cost)} lost</span>` : ""}</span>
    </li>`;
}

function Cause({ each }) {
  return html`
    <li>
      <b class="number lost">${each.dollars === null ? `${number(each.tokens)} tokens` : money(each.dollars)}</b>
      <span><span class="foreign">${each.cause}</span> <span class="small quiet">${each.reason}, ${many(each.calls, "call")}, ${number(each.tokens)} tokens</span></span>
    </li>`;
}
