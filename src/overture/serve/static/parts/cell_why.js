// Why an agent reads a file as it does.
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { number, READS } from "overture/words.js";

const KNOWN = { run: "seen in a run", code: "read in its source", docs: "documented by its makers", reported: "reported by others" };

export function CellWhy({ answer, chosen, onClose }) {
  const agent = answer.agents.find((each) => each.name === chosen.agent);
  const file = answer.files.find((each) => each.path === chosen.path);
  const cell = answer.cells[chosen.path]?.[chosen.agent];
  if (!agent || !file) return null;
  return html`
    <section class="card cell-why" aria-live="polite" aria-label="Why">
      <header><h2><span>${agent.title}</span> and <span class="foreign">${file.shown}</span></h2><button class="button bare" onClick=${onClose} aria-label="Close"><${Icon} name="close" /></button></header>
      <div class="inside">
        <p><b>Read ${READS[cell?.status || "unread"][1]}.</b> <span class="foreign">${cell?.why || "None of its rules names this file."}</span></p>
        ${cell?.last_line && html`<p>Its text ends after line ${number(cell.last_line)}${cell.lines ? ` of ${number(cell.lines)}` : ""}.</p>`}
        ${cell?.tokens > 0 && html`<p>${number(cell.tokens)} tokens.</p>`}
        ${cell?.frame && html`<p class="small quiet">Right before it the agent says:</p><pre class="foreign was">${cell.frame}</pre>`}
        <p class="small quiet">How this is known: ${KNOWN[cell?.known || agent.known] || agent.known}, version ${agent.version}, checked ${agent.checked}.</p>
      </div>
    </section>`;
}
