// The prompt of a call as it was sent, with where each text is from; and the files behind it.
import { useRef } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { Find } from "overture/parts/find.js";
import { usePointing } from "overture/parts/pointing.js";
import { PromptText } from "overture/parts/prompt_text.js";
import { Busy } from "overture/parts/shown_problem.js";
import { SourcePanel } from "overture/parts/source_panel.js";
import { said, say } from "overture/said.js";
import { useAnswer } from "overture/use_answer.js";
import { percent, tokens } from "overture/words.js";

const PACES = { turn: say("changed since the call before") };

function usePrompt(call, page) {
  return useAnswer(`/page/call/${encodeURIComponent(call.row.id)}/prompt`, page.version);
}

export function CallPrompt({ call, page, words }) {
  const { answer, problem } = usePrompt(call, page);
  if (problem && !answer) return html`<div class="empty" role="alert"><span class="foreign">${said(problem.message)}</span></div>`;
  if (!answer) return html`<${Busy} word=${say("Looking for the files behind it…")} />`;
  if (!answer.sheet.blocks.length && !answer.sheet.messages.length) return html`<div class="empty"><b>${say("This call has no system prompt")}</b>${say("It asks with messages alone.")}</div>`;
  return html`<${Text} sheet=${answer.sheet} files=${answer.files} version=${page.version} words=${words} />`;
}

function Text({ sheet, files, version, words }) {
  const text = useRef(null);
  const { at, pinned, letGo, handlers } = usePointing(sheet);
  const page = { sheet, version, captured: true };
  return html`
    <p class="quiet small">${say("{count} tokens in {sections}.", { count: tokens(sheet.tokens, sheet), sections: say("{n} section|{n} sections", { n: sheet.blocks.length }) })} <${Accounted} files=${files} /></p>
    <div class="call-prompt">
      <div>
        <${Find} text=${text} sheet=${sheet} words=${words} />
        <div class="prompt-text" ref=${text} ...${handlers}><${PromptText} sheet=${sheet} paces=${PACES} /></div>
      </div>
      <${SourcePanel} page=${page} at=${at} pinned=${pinned} onClose=${letGo} />
    </div>`;
}

function Accounted({ files }) {
  if (files.problem) return html`<span class="foreign">${said(files.problem)}</span>`;
  if (files.share === null) return null;
  return say("Files, as they are now, account for {share} of the prompt; the rest is the agent's own words.", { share: percent(files.share) });
}

export function CallFiles({ call, page }) {
  const { answer, problem } = usePrompt(call, page);
  if (problem && !answer) return html`<div class="empty" role="alert"><span class="foreign">${said(problem.message)}</span></div>`;
  if (!answer) return html`<${Busy} word=${say("Looking for the files behind it…")} />`;
  const { files } = answer;
  const sent = files.files.filter((file) => file.sent), unsent = files.files.filter((file) => !file.sent);
  return html`
    <p class="quiet small"><${Accounted} files=${files} /></p>
    ${!files.files.length && !files.problem && html`<div class="empty"><b>${say("No file is behind this call")}</b>${say("Nothing of what was sent stands in a file of the project, of home or of the agent's folders.")}</div>`}
    ${[[say("Sent"), sent], [say("Not sent"), unsent]].map(([title, rows]) => rows.length > 0 && html`
      <h2 class="calls-title">${title} <span class="quiet">${rows.length}</span></h2>
      <ul class="file-list">${rows.map((file, at) => html`<${Row} key=${at} file=${file} />`)}</ul>`)}
    ${files.more > 0 && html`<p class="quiet">${say("and {n} file more|and {n} files more", { n: files.more })}</p>`}
    ${files.notes.map((note) => html`<p class="small quiet foreign">${said(note)}</p>`)}`;
}

function Row({ file }) {
  const name = html`<span class="foreign path">${file.shown}</span>`;
  return html`
    <li>${file.file ? html`<a data-step href=${href("files", `${file.file}:1`)}>${name}</a>` : name}
      <span class="number">${file.odd ? html`<span class="tag odd">${say("otherwise than its rules say")}</span>` : ""}</span>
      <span class="why small quiet foreign">${said(file.words)}</span></li>`;
}
