// Lines across the page: that something is being tried out, and that an edit or a choice can't be used.
import { html } from "overture/html.js";
import { say, tell } from "overture/say.js";

export function Strips({ page }) {
  if (!page.trying && !page.broken && !page.refused && page.live !== "away") return null;
  return html`<div class="strips">
    ${page.live === "away" && html`<div class="strip broken" role="alert"><b>${say("TheServerIsGone")}</b> <span>${tell("StartItAgain", { command: html`<code>overture serve</code>` })}</span></div>`}
    ${page.broken && html`<div class="strip broken" role="alert"><b>${say("LastEditCantUsed")}</b> <span class="foreign">${page.broken}</span><span class="quiet">${say("WhatYouSeeLastGood")}</span></div>`}
    ${page.refused && html`<div class="strip broken" role="alert"><b>${say("ChoiceCantUsed")}</b> <span class="foreign">${page.refused}</span><span class="quiet">${say("WhatYouSeeLastGood")}</span></div>`}
    ${page.trying && html`<div class="strip" role="region" aria-label=${say("WhatIsBeingTriedOut")}>
      <b>${say("YouAreTryingSomethingOut")}</b> <span class="foreign">${wishWords(page.wish)}</span>
      ${page.wishProblem && html`<span class="foreign" role="alert">${page.wishProblem.message}</span>`}
      <button class="button" onClick=${page.resetWish}>${say("BackToWhatIsSent")} <kbd>Esc</kbd></button>
    </div>`}
  </div>`;
}

export function wishWords(wish) {
  return [
    wish.budget && say("atMostNTokens", { n: wish.budget }),
    wish.tools_off && say("withoutNTools", { n: wish.tools_off.length }),
    wish.skills_off && say("withoutNSkills", { n: wish.skills_off.length }),
    wish.set && Object.keys(wish.set).join(", "),
  ].filter(Boolean).join(" · ");
}
