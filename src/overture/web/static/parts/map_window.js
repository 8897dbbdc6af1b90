// The whole request against what the model can take in.
import { useEffect, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { say, tell } from "overture/say.js";
import { ask, inside } from "overture/server.js";
import { number, percent, tokens } from "overture/words.js";

const sum = (shares) => shares.reduce((total, share) => total + share.tokens, 0);

function kinds(context) {
  return [
    ["system", say("SystemPrompt"), sum(context.system)],
    ["skills", say("SkillsOnOffer"), sum(context.skills)],
    ["tools", say("Tools"), sum(context.tools)],
    ["talk", say("Messages"), sum(context.messages) + sum(context.nested)],
  ];
}

export function MapWindow({ page }) {
  const { context } = page.sheet;
  const parts = kinds(context);
  const known = context.window !== null;
  const whole = Math.max(known ? context.window : context.tokens, context.tokens, 1);
  return html`
    <section class="card" aria-labelledby="window">
      <header><h2 id="window">${say("TheModelsWindow")}</h2></header>
      <div class="inside">
        ${known ? html`<p>${tell("shareNTokensModelTakes", { share: percent(context.tokens / context.window), n: context.window, model: html`<b class="foreign">${context.model}</b>` })}</p>`
    : html`<p>${inside ? say("WindowNotKnown") : say("WindowNotKnownChoose")}</p>`}
        <div class="window-bar" aria-hidden="true">${parts.map(([look, name, count]) => count > 0 && html`<span key=${look} class="kind-${look}" title="${name}: ${number(count)}" ref=${grown(count / whole)}></span>`)}</div>
        <table class="table figures"><caption class="aside-word">${say("WhatFillsTheWindow")}</caption><tbody>
          ${parts.map(([look, name, count]) => html`<${Row} key=${look} look=${look} name=${name} count=${count} whole=${whole} sheet=${page.sheet} />`)}
          ${known && context.free >= 0 && html`<${Row} look="free" name=${say("Free")} count=${context.free} whole=${whole} sheet=${page.sheet} />`}
        </tbody></table>
        ${known && context.free < 0 && html`<p class="over" role="alert">${say("nTokensTooManyModel", { n: -context.free })}</p>`}
        ${context.not_counted?.length > 0 && html`<p class="small quiet">${tell("NotCountedKinds", { kinds: html`<span class="foreign">${context.not_counted.join(", ")}</span>` })}</p>`}
        ${!inside && html`<${Model} page=${page} />`}
      </div>
    </section>`;
}

function Row({ look, name, count, whole, sheet }) {
  return html`<tr><th scope="row"><span class="swatch kind-${look}"></span>${name}</th><td class="number">${tokens(count, sheet)}</td><td class="number quiet">${percent(count / whole)}</td></tr>`;
}

function Model({ page }) {
  const [models, setModels] = useState([]);
  useEffect(() => { ask("/page/state").then((state) => setModels(state.models || []), () => {}); }, []);
  const now = page.wish.model || page.sheet.context.model || "";
  const names = now && !models.includes(now) ? [now, ...models] : models;
  return html`
    <label class="row"><span>${say("Model")}</span>
      <select class="field" value=${now} onChange=${(event) => page.setWish({ model: event.target.value || null })}>
        ${!now && html`<option value="">${say("choose")}</option>`}
        ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select></label>`;
}

// Widths are set by script: the page allows no styles in its markup.
function grown(share) {
  return (element) => { if (element) element.style.width = `${Math.min(share, 1) * 100}%`; };
}
