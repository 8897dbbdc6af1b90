// Lines across the page: that something is being tried out, and that an edit can't be used.
import { html } from "overture/html.js";
import { many, number } from "overture/words.js";

export function Strips({ page }) {
  if (!page.trying && !page.broken) return null;
  return html`<div class="strips">
    ${page.broken && html`<div class="strip broken" role="alert"><b>The last edit can't be used.</b> <span class="foreign">${page.broken}</span><span class="quiet">What you see is the last good prompt.</span></div>`}
    ${page.trying && html`<div class="strip" role="region" aria-label="What is being tried out">
      <b>You are trying something out:</b> <span class="foreign">${wishWords(page.wish)}</span>
      ${page.wishProblem && html`<span class="foreign" role="alert">${page.wishProblem.message}</span>`}
      <button class="button" onClick=${page.resetWish}>Back to what is sent <kbd>Esc</kbd></button>
    </div>`}
  </div>`;
}

export function wishWords(wish) {
  return [
    wish.recipe && `recipe ${wish.recipe}`,
    wish.budget && `at most ${number(wish.budget)} tokens`,
    wish.model && `model ${wish.model}`,
    wish.tools_off && `without ${many(wish.tools_off.length, "tool")}`,
    wish.skills_off && `without ${many(wish.skills_off.length, "skill")}`,
    wish.set && Object.keys(wish.set).join(", "),
    wish.state && "a state of your own",
  ].filter(Boolean).join(" · ");
}
