// Which agent or recipe is shown, and for which model: one choice, which every view follows.
import { useEffect, useState } from "preact/hooks";
import { canTry } from "overture/address.js";
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { ask, choose as send } from "overture/server.js";

const NOT_YET = { likely: [], recipes: [], agents: [], models: [], model: null };

// The fields are there from the start, and what they offer is asked for once the prompt is here: nothing moves.
export function Choice({ page }) {
  const { choices, choose } = useChoices(page);
  const { recipe = "", title = "", price, about } = page.sent || {};
  if (!canTry) return html`<span class="quiet foreign" title=${about}>${title || recipe}</span>`;
  const shown = choices.model || "";
  return html`
    <select class="field agent" aria-label=${say("AgentOrRecipe")} title=${about} value=${recipe} onChange=${(event) => choose(event.target.value, choices.model)}>
      ${choices === NOT_YET && html`<option value=${recipe}>${title || recipe}</option>`}
      <${Group} label=${say("LikelyHere")} all=${choices.likely} />
      <${Group} label=${say("Recipes")} all=${choices.recipes} />
      <${Group} label=${say("OtherAgents")} all=${choices.agents} />
    </select>
    <select class="field model" aria-label=${say("Model")} value=${shown} onChange=${(event) => choose(recipe, event.target.value || null)}>
      <option value="">${shown ? say("theDefaultModel") : price?.model}</option>
      ${choices.models.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>`;
}

function Group({ label, all }) {
  if (!all.length) return null;
  return html`<optgroup label=${label}>${all.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}</optgroup>`;
}

// A page that is a file, and one of a session elsewhere, have nothing to choose.
function useChoices(page) {
  const [choices, setChoices] = useState(NOT_YET);
  useEffect(() => { if (canTry && page.sent) ask("/page/choices").then(setChoices, () => {}); }, [page.sent?.recipe, page.sent?.price.model]);
  const choose = (recipe, model) => send(recipe, model).then(
    (answer) => { setChoices(answer); page.refuse(null); page.refresh(); },
    (problem) => { setChoices({ ...choices }); page.refuse(problem.message); },
  );
  return { choices, choose };
}
