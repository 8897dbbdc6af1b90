// Why an agent reads a file as it does.
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { said, say, tell } from "overture/said.js";

const KNOWN = { run: say("seen in a run"), code: say("read in its source"), docs: say("documented by its makers"), reported: say("reported by others") };
const READ = { loaded: say("Read whole."), cut: say("Read in part."), lazy: say("Read later."), unread: say("Read never.") };

export function CellWhy({ answer, chosen, onClose }) {
  const agent = answer.agents.find((each) => each.name === chosen.agent);
  const file = answer.files.find((each) => each.path === chosen.path);
  const cell = answer.cells[chosen.path]?.[chosen.agent];
  if (!agent || !file) return null;
  return html`
    <section class="card cell-why" aria-live="polite" aria-label=${say("Why")}>
      <header><h2>${tell("{agent} and {file}", { agent: html`<span>${agent.title}</span>`, file: html`<span class="foreign">${file.shown}</span>` })}</h2><button class="button bare" onClick=${onClose} aria-label=${say("Close")}><${Icon} name="close" /></button></header>
      <div class="inside">
        <p><b>${READ[cell?.status || "unread"]}</b> <span class="foreign">${said(cell?.why) || say("None of its rules names this file.")}</span></p>
        ${cell?.last_line && html`<p>${cell.lines ? say("Its text ends after line {line} of {lines}.", { line: cell.last_line, lines: cell.lines }) : say("Its text ends after line {line}.", { line: cell.last_line })}</p>`}
        ${cell?.tokens > 0 && html`<p>${say("{n} token.|{n} tokens.", { n: cell.tokens })}</p>`}
        ${cell?.frame && html`<p class="small quiet">${say("Right before it the agent says:")}</p><pre class="foreign was">${cell.frame}</pre>`}
        <p class="small quiet">${say("How this is known: {how}, version {version}, checked {day}.", { how: KNOWN[cell?.known || agent.known] || agent.known, version: agent.version, day: agent.checked })}</p>
      </div>
    </section>`;
}
