// The frame: the head with the agent and the model, lines about what is wrong, and the rail with views and sections.
import { useEffect, useState } from "preact/hooks";
import { choose, href, VIEWS } from "overture/address.js";
import { html } from "overture/html.js";
import { ask, inside } from "overture/server.js";
import { themeWords, turnTheme, useTheme } from "overture/theme_and_keys.js";
import { Icon, Sign } from "overture/widgets.js";
import { count, tokens, VIEW_NAMES } from "overture/words.js";

const LIVE = {
  live: ["live", "follows your edits"], wait: ["away", "connecting"], away: ["away", "not connected"],
  file: ["away", "a saved page"],
};

export function Head({ page, address, onHelp }) {
  const theme = useTheme();
  const [dot, words] = page.broken ? ["broken", "an edit can't be used"] : LIVE[page.live];
  return html`
    <header class="head">
      <a class="name" href=${href("prompt")} aria-label="Overture"><${Sign} /><span class="long">Overture</span></a>
      <div class="where">
        <b class="foreign" title=${page.sheet?.cwd}>${page.sheet?.project}</b>
        <${Choice} sheet=${page.sheet} address=${address} />
      </div>
      <span class="spring"></span>
      <span class="state small quiet" role="status"><span class="dot ${dot}"></span>${words}</span>
      <button class="button bare" onClick=${turnTheme} aria-label=${themeWords(theme)} title=${themeWords(theme)}>
        <${Icon} name="theme" /></button>
      <button class="button bare" onClick=${onHelp} aria-label="Keys" title="Keys">?</button>
    </header>`;
}

const NOT_YET = { likely: [], recipes: [], agents: [], models: [] };

// Which agent or recipe is shown, and for which model: the address says it, and every view follows. The fields are
// there from the start, and what they offer is asked for once the prompt is here: nothing moves.
function Choice({ sheet, address }) {
  const [choices, setChoices] = useState(NOT_YET);
  const isThere = Boolean(sheet);
  useEffect(() => { if (!inside && isThere) ask("/page/choices").then(setChoices, () => {}); }, [isThere]);
  const { recipe = "", title = "", price, about } = sheet || {};
  if (inside) return html`<span class="quiet foreign" title=${about}>${title || recipe}</span>`;
  const shown = address.recipe || recipe;
  return html`
    <select class="field agent" aria-label="Agent or recipe" title=${about} value=${shown}
      onChange=${(event) => choose({ recipe: event.target.value, budget: null })}>
      ${choices === NOT_YET && html`<option value=${shown}>${title || recipe}</option>`}
      <${Group} label="Likely here" all=${choices.likely} />
      <${Group} label="Recipes" all=${choices.recipes} />
      <${Group} label="Other agents" all=${choices.agents} />
    </select>
    <select class="field model" aria-label="Model" value=${address.model || ""}
      onChange=${(event) => choose({ model: event.target.value || null })}>
      <option value="">${address.model ? "the default model" : price?.model}</option>
      ${choices === NOT_YET && address.model && html`<option value=${address.model}>${address.model}</option>`}
      ${choices.models.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>`;
}

function Group({ label, all }) {
  if (!all.length) return null;
  return html`<optgroup label=${label}>${all.map(({ name, title }) => html`
    <option key=${name} value=${name}>${title}</option>`)}</optgroup>`;
}

// Lines across the page: that a budget is tried out, and that an edit or a choice can't be used.
export function Strips({ page, address }) {
  const refused = page.sheet && page.problem && page.live !== "away" && !page.problem.path.startsWith("budget");
  if (!page.trying && !page.broken && !refused && page.live !== "away") return null;
  return html`<div class="strips">
    ${page.live === "away" && html`<${Strip} title="The server does not respond.">
      <span>This page shows what it sent last. To see the newest, run <code>overture serve</code> in this project.
      </span>
    <//>`}
    ${page.broken && html`<${Strip} title="The last edit can't be used." what=${page.broken}><${LastGood} /><//>`}
    ${refused && html`<${Strip} title="This choice can't be used." what=${page.problem.message}><${LastGood} /><//>`}
    ${page.trying && html`<div class="strip" role="region" aria-label="Current changes">
      <b>Active changes:</b> <span class="foreign">at most ${count(address.budget, "token")}</span>
      ${page.problem && html`<span class="foreign" role="alert">${page.problem.message}</span>`}
      <button class="button" onClick=${() => choose({ budget: null })}>Back to what is sent <kbd>Esc</kbd></button>
    </div>`}
  </div>`;
}

function Strip({ title, what, children }) {
  return html`<div class="strip broken" role="alert"><b>${title}</b>${" "}
    ${what && html`<span class="foreign">${what}</span>`}${children}</div>`;
}

const LastGood = () => html`<span class="quiet">This is the last good prompt.</span>`;

// The views, and below them the sections of the prompt.
export function Rail({ page, address }) {
  const tally = { prompt: page.sheet?.blocks.length, check: page.sheet?.problems.length || undefined };
  return html`
    <div class="rail">
      <nav aria-label="Views"><ul>
        ${VIEWS.map((view) => html`<li key=${view}>
          <a class="view" href=${href(view)} aria-current=${address.view === view ? "page" : undefined}>
            <${Icon} name=${view} />${VIEW_NAMES[view]}
            ${tally[view] !== undefined && html`<span class="tally">${tally[view]}</span>`}
            ${view === "turns" && page.unseen > 0 && html`<span class="tally new">${page.unseen} new</span>`}
          </a>
        </li>`)}
      </ul></nav>
      ${page.sheet && address.view === "prompt" && html`<${Outline} sheet=${page.sheet} place=${address.place} />`}
    </div>`;
}

// The sections of the prompt in their order, each with its share.
function Outline({ sheet, place }) {
  const most = Math.max(...sheet.blocks.map((block) => block.share), 0.01);
  return html`
    <nav class="outline" aria-label="Sections">
      <h2>Sections</h2>
      <ul>${sheet.blocks.map((block) => html`
        <li key=${block.name}>
          <a class="entry pace-${block.pace}" href=${href("prompt", block.name)}
            aria-current=${place === block.name ? "location" : undefined}>
            <span class="foreign name">${block.name}</span><span class="count">${tokens(block.tokens, sheet)}</span>
            <meter class="bar" min="0" max="1" value=${block.share / most} aria-hidden="true"></meter>
          </a>
        </li>`)}</ul>
    </nav>`;
}
