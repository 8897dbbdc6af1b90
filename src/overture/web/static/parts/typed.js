// A field whose word counts once it is taken with Enter or left. Until then it stays as typed, whatever happens around it.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";

export function Typed({ value, onTake, ...rest }) {
  const [draft, setDraft] = useState(null);
  const take = (event) => {
    setDraft(null);
    onTake(event.target.value.trim());
  };
  return html`<input ...${rest} class="field ${rest.class || ""}" value=${draft ?? value} onInput=${(event) => setDraft(event.target.value)} onChange=${take} />`;
}
