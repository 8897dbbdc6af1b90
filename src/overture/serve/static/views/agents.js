// Who reads what: each instruction file here and each agent; a cell says how, and why.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { AgentsGrid } from "overture/parts/agents_grid.js";
import { CellWhy } from "overture/parts/cell_why.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { useAnswer } from "overture/use_answer.js";
import { READS } from "overture/words.js";

export function AgentsView({ page }) {
  const [touching, setTouching] = useState("");
  const [everyone, setEveryone] = useState(false);
  const [chosen, setChosen] = useState(null);
  const asked = new URLSearchParams({ ...(touching && { touching }), ...(everyone && { all: "1" }) }).toString();
  const { answer, problem, busy } = useAnswer(`/page/agents${asked && `?${asked}`}`, page.version);
  const take = (event) => { event.preventDefault(); setTouching(new FormData(event.target).get("touching").trim()); };
  return html`
    <div class="page-view agents-view">
      <h1>Agents</h1>
      <p class="lead">Which of the instruction files here each coding agent reads, and how. Choose a cell to see why.</p>
      <div class="agents-tools">
        <form class="row" onSubmit=${take} role="search">
          <label class="row">When it works on <input class="field" name="touching" data-find placeholder="src/app.py" defaultValue=${touching} /></label>
          <button class="button">Show</button>
        </form>
        <label class="row"><input type="checkbox" checked=${everyone} onChange=${(event) => setEveryone(event.target.checked)} /> every agent that is known</label>
        <span class="small quiet" role="status">${busy ? "Looking…" : ""}</span>
      </div>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} word="Looking at what each agent reads…" />`}
      ${answer && !problem && html`<${Answer} answer=${answer} chosen=${chosen} setChosen=${setChosen} />`}
    </div>`;
}

function Answer({ answer, chosen, setChosen }) {
  if (!answer.agents.length) return html`<div class="empty"><b>No agent is used here</b>There is no file, folder or program of any. Tick “every agent that is known”, or add an AGENTS.md.</div>`;
  if (!answer.files.length) return html`<div class="empty"><b>There are no instruction files here</b>An AGENTS.md at the root is read by most agents.</div>`;
  return html`
    <p class="legend small quiet">${Object.values(READS).map(([sign, word]) => html`<span key=${word}><b aria-hidden="true">${sign}</b> ${word}</span>`)}</p>
    <${AgentsGrid} answer=${answer} chosen=${chosen} onChoose=${setChosen} />
    ${chosen && html`<${CellWhy} answer=${answer} chosen=${chosen} onClose=${() => setChosen(null)} />`}
    <${Said} title="What to know" rows=${answer.notes} />
    <${Said} title="What to do" rows=${answer.advice} />`;
}

function Said({ title, rows }) {
  if (!rows?.length) return null;
  return html`<h2>${title}</h2><ul class="said">${rows.map((row) => html`<li class="foreign">${row}</li>`)}</ul>`;
}
