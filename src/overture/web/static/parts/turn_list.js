// The turns, newest on top. A row shows what that turn changed; the two columns in front pick any two.
import { go, href } from "overture/address.js";
import { html } from "overture/html.js";
import { pair, pickEarlier, pickLater } from "overture/parts/turn_pick.js";
import { say } from "overture/say.js";
import { clock, number, percent, tokens } from "overture/words.js";

export function TurnList({ turns, pick, sheet }) {
  const rows = turns.map((turn, at) => ({ turn, before: turns[at - 1] })).reverse();
  return html`
    <table class="table turn-list">
      <caption class="aside-word">${say("TurnsNewestFirstPickEarlier")}</caption>
      <thead><tr><th scope="col" class="pick">${say("From")}</th><th scope="col" class="pick">${say("To")}</th><th scope="col">${say("WhatHappened")}</th><th scope="col" class="number">${say("Tokens")}</th></tr></thead>
      <tbody>${rows.map(({ turn, before }) => html`<${Row} key=${turn.turn} turns=${turns} turn=${turn} before=${before} pick=${pick} sheet=${sheet} />`)}</tbody>
    </table>`;
}

function Row({ turns, turn, before, pick, sheet }) {
  const { turn: at } = turn;
  const between = pick && at >= pick.a && at <= pick.b;
  const isNewest = turn === turns.at(-1);
  const choose = (next) => go("turns", pair(next));
  return html`
    <tr class=${between ? "between" : ""}>
      <td class="pick">${!isNewest && html`<input type="radio" name="from" checked=${pick?.a === at} onChange=${() => choose(pickEarlier(turns, pick, at))} aria-label=${say("FromTurn", { turn: String(at) })} />`}</td>
      <td class="pick">${before && html`<input type="radio" name="to" checked=${pick?.b === at} onChange=${() => choose(pickLater(turns, pick, at))} aria-label=${say("ToTurn", { turn: String(at) })} />`}</td>
      <td>${before
    ? html`<a class="foreign" data-step aria-current=${pick?.a === before.turn && pick.b === at ? "true" : undefined} href=${href("turns", pair({ a: before.turn, b: at }))}>${turn.cause || say("rebuilt")}</a>`
    : html`<span class="foreign">${turn.cause || say("theFirstOne")}</span>`}
        <span class="small quiet under"><span>${say("turn", { turn: String(at) })}</span><time datetime=${turn.at}>${clock(turn.at)}</time>${turn.messages > 0 && html`<span>${say("nMessages", { n: turn.messages })}</span>`}${before && turn.whole > 0 && html`<${Kept} turn=${turn} />`}</span>
        ${turn.broken && html`<span class="small turn-broken foreign">${say("cantBeUsedWhat", { what: turn.broken })}</span>`}
      </td>
      <td class="number">${tokens(turn.tokens, sheet)}<span class="small quiet under">${before ? signed(turn.tokens - before.tokens) : " "}</span></td>
    </tr>`;
}

// How much of it a cache would give back.
function Kept({ turn }) {
  const share = Math.min(turn.cached / turn.whole, 1);
  return html`<span class="kept" title=${say("nTokensFromTheCache", { n: turn.cached })}><meter class="bar" min="0" max="1" value=${share} aria-hidden="true"></meter>${say("shareCached", { share: percent(share) })}</span>`;
}

export function signed(count) {
  if (count === 0) return "±0";
  return `${count > 0 ? "+" : "−"}${number(Math.abs(count))}`;
}
