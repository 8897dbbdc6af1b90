// What a request costs before the model has answered, with and without the provider's cache.
import { html } from "overture/html.js";
import { dollars, number } from "overture/words.js";

export function MapPrice({ sheet }) {
  const { price } = sheet;
  return html`
    <section class="card" aria-labelledby="price">
      <header><h2 id="price">The price</h2></header>
      <div class="inside">${price.fresh === null
    ? html`<p class="quiet">What <span class="foreign">${price.model}</span> costs is not known.</p>`
    : html`<${Figures} price=${price} />`}</div>
    </section>`;
}

function Figures({ price }) {
  return html`
    <table class="table figures"><caption class="aside-word">US dollars by number of requests</caption>
      <thead><tr><td></td><th scope="col" class="number">Fresh</th><th scope="col" class="number">Cached</th></tr></thead>
      <tbody>${[1, 100].map((times) => html`<tr key=${times}>
        <th scope="row">${times === 1 ? "One request" : `${times} requests`}</th>
        <td class="number">${dollars(price.fresh * times)}</td><td class="number">${dollars(price.cached * times)}</td></tr>`)}
      </tbody></table>
    <p class="small quiet">${kept(price)}</p>
    <p class="small quiet">${source(price)}</p>`;
}

function kept({ kept: count, marks }) {
  if (!count) return "The prompt is too short for this provider's cache, or changes from its first words on.";
  const last = marks.at(-1);
  return html`${number(count)} tokens can come from the cache${last && html`: all up to the end of <b class="foreign">${last.after}</b>`}.`;
}

function source({ model, known, as_known_on }) {
  const by = known ? html`By the prices of <span class="foreign">${model}</span>` : html`<span class="foreign">${model}</span> is in no table of ours: by its provider's general prices`;
  const day = new Date(`${as_known_on}T00:00:00`).toLocaleDateString("en", { day: "numeric", month: "long", year: "numeric" });
  return html`${by}, as known on ${day}.`;
}
