// How much room the prompt has. The server cuts it; what went is listed.
import { canTry } from "overture/address.js";
import { html } from "overture/html.js";
import { Typed } from "overture/parts/typed.js";
import { say } from "overture/say.js";
import { number, tokens } from "overture/words.js";

// `alone`: what went is listed elsewhere.
export function Budget({ page, alone }) {
  if (!canTry) return null;
  const { sheet, wish, sent } = page;
  const whole = sheet.budget ? sheet.budget.whole : sheet.tokens;
  const top = Math.max(whole, sent ? sent.tokens : 0);
  const value = Math.min(wish.budget || sheet.budget?.limit || top, top);
  const take = (given) => {
    const wanted = Math.round(Number(given));
    page.setWish({ budget: wanted >= top || wanted <= 0 ? null : wanted });
  };
  return html`
    <div class="budget">
      <label class="row"><span>${say("Room")}</span>
        <input type="range" data-budget min="1" max=${top} step="1" value=${value} onInput=${(event) => take(event.target.value)} aria-valuetext=${say("nTokens", { n: value })} /></label>
      <label class="row"><${Typed} class="number" type="number" min="1" max=${top} value=${value} onTake=${take} aria-label=${say("RoomInTokens")} /> <span class="quiet">${say("ofNTokens", { n: top })}</span></label>
    </div>
    ${!alone && html`<${Cuts} sheet=${sheet} problem=${page.wishProblem} />`}`;
}

export function Cuts({ sheet, problem }) {
  if (problem && problem.path.startsWith("budget")) return html`<p class="cuts foreign" role="alert">${problem.message}</p>`;
  if (!sheet.cuts.length) return null;
  return html`<details class="cuts" open><summary>${say("nPartsShortenedOrLeft", { n: sheet.cuts.length })}</summary>
    <ul>${sheet.cuts.slice(0, 12).map((cut) => html`<li><span class="foreign">${cut.part || cut.block}</span> <span class="quiet">${cut.how === "replaced" ? say("dropped") : cut.how}, ${tokens(cut.from_tokens, sheet)} → ${number(cut.to_tokens)}</span></li>`)}
    ${sheet.cuts.length > 12 && html`<li class="quiet">${say("andNMore", { n: sheet.cuts.length - 12 })}</li>`}</ul></details>`;
}
