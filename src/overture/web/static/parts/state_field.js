// Any field of the state as JSON. What is wrong is said at its place.
import { useEffect, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { placeOf, syntaxFault } from "overture/json_place.js";
import { say } from "overture/say.js";

const FIELDS = [
  "agent", "user", "runtime", "now", "channel", "task", "memories", "mission", "background", "session", "context_files",
  "workspace_files", "skills", "tools", "native_tools", "overrides", "extra",
];

export function StateField({ state, set, onSet, problem }) {
  const [field, setField] = useState("agent");
  const shown = (name) => JSON.stringify(set[name] ?? state[name] ?? null, null, 2);
  const [text, setText] = useState(shown(field));
  useEffect(() => setText(shown(field)), [field]);
  useEffect(() => { if (!(field in set)) setText(shown(field)); }, [set, state]);
  const type = (event) => {
    setText(event.target.value);
    if (syntaxFault(event.target.value)) return;
    onSet({ ...set, [field]: JSON.parse(event.target.value) });
  };
  const fault = faultOf(text, field, problem);
  const drop = () => { const { [field]: _, ...rest } = set; onSet(rest); };
  return html`
    <div class="state-field">
      <label>${say("AnyFieldOfTheState")}<select class="field" value=${field} onChange=${(event) => setField(event.target.value)}>
        ${FIELDS.map((name) => html`<option key=${name} value=${name}>${name}${name in set ? ` ${say("changed")}` : ""}</option>`)}</select></label>
      <textarea class="field" rows="10" spellcheck="false" aria-label=${say("FieldAsJson", { field })} aria-invalid=${Boolean(fault)} aria-describedby="state-fault" value=${text} onInput=${type}></textarea>
      <p id="state-fault" class="fault small foreign" role="status">${fault ? say("LineWhat", { line: String(fault.line), what: fault.message }) : ""}</p>
      ${field in set && html`<button class="button" onClick=${drop}>${say("AsItWasFound")}</button>`}
    </div>`;
}

function faultOf(text, field, problem) {
  const syntax = syntaxFault(text);
  if (syntax) return syntax;
  if (!problem) return null;
  const path = problem.path.replace(/^(state|set)\./, "");
  if (path !== field && !path.startsWith(`${field}.`) && !path.startsWith(`${field}[`)) return null;
  return { line: placeOf(text, path.slice(field.length)), message: problem.message };
}
