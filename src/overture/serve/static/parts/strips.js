// Lines across the page: that something is being tried out, and that an edit can't be used.
import { html } from "overture/html.js";
import { said, say } from "overture/said.js";

export function Strips({ page }) {
  if (!page.trying && !page.broken) return null;
  return html`<div class="strips">
    ${page.broken && html`<div class="strip broken" role="alert"><b>${say("The last edit can't be used.")}</b> <span class="foreign">${said(page.broken)}</span><span class="quiet">${say("What you see is the last good prompt.")}</span></div>`}
    ${page.trying && html`<div class="strip" role="region" aria-label=${say("What is being tried out")}>
      <b>${say("You are trying something out:")}</b> <span class="foreign">${wishWords(page.wish)}</span>
      ${page.wishProblem && html`<span class="foreign" role="alert">${said(page.wishProblem.message)}</span>`}
      <button class="button" onClick=${page.resetWish}>${say("Back to what is sent")} <kbd>Esc</kbd></button>
    </div>`}
  </div>`;
}

export function wishWords(wish) {
  return [
    wish.recipe && say("recipe {name}", { name: wish.recipe }),
    wish.budget && say("at most {n} token|at most {n} tokens", { n: wish.budget }),
    wish.model && say("model {name}", { name: wish.model }),
    wish.tools_off && say("without {n} tool|without {n} tools", { n: wish.tools_off.length }),
    wish.skills_off && say("without {n} skill|without {n} skills", { n: wish.skills_off.length }),
    wish.set && Object.keys(wish.set).join(", "),
    wish.state && say("a state of your own"),
  ].filter(Boolean).join(" · ");
}
