// The turns: each prompt that was made since the page was opened, or in a live session, and how any two of them differ.
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { TurnDiff } from "overture/parts/turn_diff.js";
import { TurnList } from "overture/parts/turn_list.js";
import { picked } from "overture/parts/turn_pick.js";
import { say, tell } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";

const NONE = [];

export function TurnsView({ page, place }) {
  const { answer: history, problem } = useAnswer("/page/turns", page.version);
  const turns = history?.turns || NONE;
  const pick = picked(place, turns);
  const shown = useAnswer(history && pick && `/page/diff?a=${pick.a}&b=${pick.b}`, page.version);
  return html`
    <div class="turns-view">
      <div class="turns-column">
        <h1>${say("Turns")}</h1>
        <p class="quiet">${lead(history)}</p>
        ${turns.length > 0 && html`<${TurnList} turns=${turns} pick=${pick} sheet=${page.sheet} />`}
      </div>
      <section class="turns-diff" aria-label=${say("Difference")} aria-busy=${!problem && (!history || (pick && !shown.path)) ? "true" : undefined}>
        ${problem && !history ? html`<div class="empty foreign">${problem.message}</div>` : history && html`<${Shown} history=${history} pick=${pick} shown=${shown} page=${page} />`}
      </section>
    </div>`;
}

function lead(history) {
  if (!history) return " ";
  const n = history.turns.length;
  return history.live === "session" ? say("nPromptsRunningSession", { n })
    : say("nPromptsSincePageOpened", { n });
}

function Shown({ history, pick, shown, page }) {
  if (!pick) return html`<${OnlyOne} history=${history} page=${page} />`;
  if (pick.a === pick.b) return html`<div class="empty"><b>${say("ThisIsOneTurnTwice")}</b>${say("PickTwoDifferentOnesSee")}</div>`;
  const gone = shown.problem?.status === 404; // what was shown of it is of no turn any more
  if (shown.problem && (gone || !shown.answer)) {
    return html`<div class="empty" role="alert"><b>${gone ? say("ATurnIsGone") : say("TheDifferenceCantBeShown")}</b>
      <span class="foreign">${shown.problem.message}</span><p><a href=${href("turns")}>${say("ShowTheNewest")}</a></p></div>`;
  }
  const { a, b } = shown.answer || pick; // the old one stands until the new one is here
  return html`<h2>${say("TurnToTurn", { a: String(a), b: String(b) })}</h2>${shown.answer && html`<${TurnDiff} diff=${shown.answer} turns=${history.turns} />`}`;
}

function OnlyOne({ history, page }) {
  const file = page.sheet.sources.find((source) => source.kind === "file");
  const name = file ? file.label.replace(/:\d+$/, "") : "AGENTS.md";
  return html`<div class="empty"><b>${say("NothingHasChangedYet")}</b>${history.live === "session"
    ? say("SessionHasSentOnePrompt")
    : tell("EditAFile", { name: html`<code class="foreign">${name}</code>` })}</div>`;
}
