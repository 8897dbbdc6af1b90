// Two turns beside each other: in a sentence, then each section that changed, then those that did not.
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { TurnHeadline } from "overture/parts/turn_headline.js";
import { WordDiff } from "overture/parts/word_diff.js";
import { say, tell } from "overture/say.js";
import { fieldWords } from "overture/words.js";

const CHANGES = { changed: say("rewritten"), added: say("added"), removed: say("removed") };

export function TurnDiff({ diff, turns }) {
  const changed = diff.blocks.filter((block) => block.change !== "same");
  const names = new Set(changed.map((block) => block.name));
  const same = diff.blocks.filter((block) => block.change === "same" && !names.has(block.name));
  return html`
    <${TurnHeadline} diff=${diff} turns=${turns} />
    ${changed.map((block, at) => html`<${ChangedBlock} key=${`${diff.a}..${diff.b} ${at} ${block.name}`} block=${block} />`)}
    ${same.length > 0 && html`<p class="quiet same-blocks">${say("TheSameInBoth")} ${same.map((block, at) => html`${at > 0 && ", "}<a class="foreign" href=${href("prompt", block.name)}>${block.name}</a>`)}</p>`}`;
}

function ChangedBlock({ block }) {
  return html`
    <section class="card turn-block" aria-label=${block.name}>
      <header>
        <h3 class="foreign">${block.name}</h3>
        <span class="change is-${block.change}">${CHANGES[block.change]}</span>
        ${block.because.length > 0 && html`<span class="small quiet">${tell("becauseOfWhat", { what: html`<span class="foreign">${block.because.map(fieldWords).join(", ")}</span>` })}</span>`}
      </header>
      ${block.words.length > 0 && html`<${WordDiff} words=${block.words} />`}
    </section>`;
}
