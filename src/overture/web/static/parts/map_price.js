// What a request costs before the model has answered, with and without the provider's cache.
import { html } from "overture/html.js";
import { locale, say, tell } from "overture/say.js";
import { bound, dollars, hasOwnPrompt } from "overture/words.js";

export function MapPrice({ sheet }) {
  const { price } = sheet;
  return html`
    <section class="card" aria-labelledby="price">
      <header><h2 id="price">${say("ThePrice")}</h2></header>
      <div class="inside">${price.fresh === null
    ? html`<p class="quiet">${tell("WhatModelCostsNotKnown", { model: html`<span class="foreign">${price.model}</span>` })}</p>`
    : html`<${Figures} price=${{ ...price, at_least: price.at_least || hasOwnPrompt(sheet) }} isWhole=${!hasOwnPrompt(sheet)} />`}</div>
    </section>`;
}

function Figures({ price, isWhole }) {
  return html`
    <table class="table figures"><caption class="aside-word">${say("DollarsByRequests")}</caption>
      <thead><tr><td></td><th scope="col" class="number">${say("Fresh")}</th><th scope="col" class="number">${say("Cached")}</th></tr></thead>
      <tbody>${[1, 100].map((times) => html`<tr key=${times}>
        <th scope="row">${say("nRequests", { n: times })}</th>
        <td class="number">${bound(price.fresh * times, price.at_least, dollars)}</td><td class="number">${bound(price.cached * times, price.at_least, dollars)}</td></tr>`)}
      </tbody></table>
    ${(price.kept > 0 || isWhole) && html`<p class="small quiet">${kept(price)}</p>`}
    <p class="small quiet">${source(price)}</p>`;
}

function kept({ kept: count, marks }) {
  if (!count) return say("PromptTooShortProvidersCache");
  const last = marks.at(-1);
  if (!last) return say("nTokensCanBeCached", { n: count });
  return tell("nTokensCanBeCachedUpTo", { n: count, section: html`<b class="foreign">${last.after}</b>` });
}

function source({ model, known, as_known_on }) {
  const day = new Date(`${as_known_on}T00:00:00`).toLocaleDateString(locale, { day: "numeric", month: "long", year: "numeric" });
  const slots = { day, model: html`<span class="foreign">${model}</span>` };
  return known ? tell("PricesModelKnownDay", slots) : tell("modelNoTableOursProviders", slots);
}
