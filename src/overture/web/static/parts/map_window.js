// The whole request against what the model can take in.
import { html } from "overture/html.js";
import { say, tell } from "overture/say.js";
import { hasOwnPrompt, number, percent, tokens } from "overture/words.js";

const sum = (shares) => shares.reduce((total, share) => total + share.tokens, 0);

function kinds(context) {
  return [
    ["system", say("SystemPrompt"), sum(context.system)],
    ["skills", say("SkillsOnOffer"), sum(context.skills)],
    ["tools", say("Tools"), sum(context.tools)],
    ["conversation", say("Messages"), sum(context.messages) + sum(context.nested)],
  ];
}

export function MapWindow({ page }) {
  const { context } = page.sheet;
  const parts = kinds(context).filter(([, , count]) => count > 0);
  const uncounted = context.not_counted || [];
  const known = context.window !== null;
  const whole = Math.max(known ? context.window : context.tokens, context.tokens, 1);
  return html`
    <section class="card" aria-labelledby="window">
      <header><h2 id="window">${say("TheModelsWindow")}</h2></header>
      <div class="inside">
        ${known ? html`<p>${tell("shareNTokensModelTakes", { share: percent(context.tokens / context.window), n: context.window, model: html`<b class="foreign">${context.model}</b>` })}</p>`
    : html`<p>${tell("WindowNotKnown", { model: html`<b class="foreign">${context.model}</b>` })}</p>`}
        <div class="window-bar" aria-hidden="true">${parts.map(([look, name, count]) => html`<span key=${look} class="kind-${look}" title="${name}: ${number(count)}" ref=${grown(count / whole)}></span>`)}</div>
        <table class="table figures"><caption class="aside-word">${say("WhatFillsTheWindow")}</caption><tbody>
          ${parts.map(([look, name, count]) => html`<${Row} key=${look} look=${look} name=${name} count=${count} whole=${whole} sheet=${page.sheet} />`)}
          ${known && context.free >= 0 && !hasOwnPrompt(page.sheet) && html`<${Row} look="free" name=${say("Free")} count=${context.free} whole=${whole} sheet=${page.sheet} />`}
        </tbody></table>
        ${known && context.free < 0 && html`<p class="over" role="alert">${say("nTokensTooManyModel", { n: -context.free })}</p>`}
        ${uncounted.length > 0 && html`<p class="small quiet">${tell("NotCountedKinds", { kinds: html`<span class="foreign">${uncounted.join(", ")}</span>` })}</p>`}
      </div>
    </section>`;
}

function Row({ look, name, count, whole, sheet }) {
  return html`<tr><th scope="row"><span class="swatch kind-${look}"></span>${name}</th><td class="number">${tokens(count, sheet)}</td><td class="number quiet">${percent(count / whole)}</td></tr>`;
}

// Widths are set by script: the page allows no styles in its markup.
function grown(share) {
  return (element) => { if (element) element.style.width = `${Math.min(share, 1) * 100}%`; };
}
