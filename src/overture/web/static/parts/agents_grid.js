// The grid: a row for each file, a column for each agent.
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { READS, tokens } from "overture/words.js";

export function AgentsGrid({ answer, chosen, onChoose }) {
  return html`
    <div class="grid-frame scrolls" tabindex="0" role="region" aria-label=${say("FilesAndAgents")}>
      <table class="agents-grid ${answer.agents.length > 6 ? "many" : "few"}">
        <thead><tr><th scope="col">${say("File")}</th>${answer.agents.map((agent) => html`<th scope="col" key=${agent.name}><span class="turned">${agent.title}</span></th>`)}</tr></thead>
        <tbody>${answer.files.map((file) => html`
          <tr key=${file.path}><th scope="row"><span class="code foreign" title=${file.path}>${file.shown}</span></th>
          ${answer.agents.map((agent) => html`<td key=${agent.name}><${Cell} file=${file} agent=${agent} cell=${answer.cells[file.path]?.[agent.name]} chosen=${chosen} onChoose=${onChoose} /></td>`)}</tr>`)}</tbody>
        <tfoot><tr><th scope="row">${say("TokensInAll")}</th>${answer.agents.map((agent) => html`<td key=${agent.name} class="sum">${tokens(agent.tokens, agent)}</td>`)}</tr></tfoot>
      </table>
    </div>`;
}

function Cell({ file, agent, cell, chosen, onChoose }) {
  const [sign, word] = READS[cell?.status || "unread"];
  const on = chosen && chosen.path === file.path && chosen.agent === agent.name;
  return html`<button class="cell ${cell?.status || "unread"}" data-step aria-pressed=${Boolean(on)} aria-label=${say("agentReadsFileHow", { agent: agent.title, file: file.shown, how: word })} title=${`${agent.title}: ${word}`} onClick=${() => onChoose(on ? null : { path: file.path, agent: agent.name })}>${sign}</button>`;
}
