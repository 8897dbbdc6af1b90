// The first thing one sees: how long the prompt is, what that costs, and its sections as one bar.
import { href, VIEWS } from "overture/address.js";
import { html } from "overture/html.js";
import { Budget } from "overture/parts/budget.js";
import { Copy } from "overture/parts/copy.js";
import { signed } from "overture/parts/turn_list.js";
import { pair } from "overture/parts/turn_pick.js";
import { say, tell } from "overture/say.js";
import { bound, dollars, hasOwnPrompt, percent, tokens } from "overture/words.js";

export function Summary({ page }) {
  const { sheet } = page;
  const files = new Set(sheet.sources.filter((source) => source.kind === "file").map((source) => source.path)).size;
  return html`
    <div class="summary">
      <div class="summary-head"><h1>${tokens(sheet.tokens, sheet)} <span>${hasOwnPrompt(sheet) ? say("tokensBesideOwnPrompt") : say("tokensTellModelWhatDo")}</span></h1><${Copy} page=${page} /></div>
      <p class="quiet">
        ${say("sectionsFromFiles", { sections: say("nSections", { n: sheet.blocks.length }), files: say("nFiles", { n: files }) })}${share(sheet)}${price(sheet)}
      </p>
      ${files === 0 && html`<p>${say("NoInstructionFileHere")}${VIEWS.includes("agents") && html` <a href=${href("agents")}>${say("ShowWhatEachAgentLoads")}</a>`}</p>`}
      <${Bar} sheet=${sheet} />
      <${Budget} page=${page} />
    </div>`;
}

// What the newest save did. It stands over the end of the text, so that nothing moves.
export function Change({ page: { change, hide } }) {
  const { a, b, tokens: more, count, source } = change;
  return html`
    <p class="newest-change" role="status"><b>${say("nTokensSigned", { n: Math.abs(more), signed: signed(more) })}</b>
      ${count > 0 && html`<span>${say("nLinesChanged", { n: count })}${source && html` · <span class="foreign">${source}</span>`}</span>`}
      <a href=${href("turns", pair({ a, b }))}>${say("ShowTheDifference")}</a>
      <button class="button bare" onClick=${hide}>${say("HideTheMarks")}</button></p>`;
}

function share(sheet) {
  const { window, model } = sheet.context;
  return window ? html` · ${tell("shareWindowModel", { share: percent(sheet.context.tokens / window), model: html`<span class="foreign">${model}</span>` })}` : "";
}

function price(sheet) {
  const { fresh, cached, model } = sheet.price;
  if (fresh === null) return "";
  const at_least = sheet.price.at_least || hasOwnPrompt(sheet);
  const slots = { fresh: bound(fresh, at_least, dollars), cached: bound(cached, at_least, dollars) };
  return html` · <span title=${say("byThePricesOfModel", { model })}>${cached < fresh ? say("freshRequestCachedCache", slots) : say("freshRequest", slots)}</span>`;
}

export function Bar({ sheet }) {
  return html`<div class="stack" role="group" aria-label=${say("SectionsBySize")}>${sheet.blocks.map((block, index) => html`
    <a key=${block.name} class="part pace-${block.pace} width-${index}" href=${href("prompt", block.name)} ref=${widen(block.tokens)} title=${`${block.name}: ${tokens(block.tokens, sheet)} ${say("tokens")}, ${percent(block.share)}`}>
      <span class="foreign name">${block.name}</span><span class="quiet">${percent(block.share)}</span>
    </a>`)}</div>`;
}

// Widths are set by script: the page allows no styles in its markup.
function widen(value) {
  return (element) => { if (element) element.style.flexGrow = String(Math.max(value, 1)); };
}
