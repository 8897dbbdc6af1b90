// The prompt of a call as it was sent, with where each text is from; and the files behind it.
import { useRef } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { Find } from "overture/parts/find.js";
import { usePointing } from "overture/parts/pointing.js";
import { PromptText } from "overture/parts/prompt_text.js";
import { Busy } from "overture/parts/shown_problem.js";
import { SourcePanel } from "overture/parts/source_panel.js";
import { say } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";
import { percent, tokens } from "overture/words.js";

const PACES = { turn: say("changedSinceTheCallBefore") };

function usePrompt(call, page) {
  return useAnswer(`/page/call/${encodeURIComponent(call.row.id)}/prompt`, page.version);
}

export function CallPrompt({ call, page, words }) {
  const { answer, problem } = usePrompt(call, page);
  if (problem && !answer) return html`<div class="empty" role="alert"><span class="foreign">${problem.message}</span></div>`;
  if (!answer) return html`<${Busy} word=${say("LookingFilesBehind")} />`;
  if (!answer.sheet.blocks.length && !answer.sheet.messages.length) return html`<div class="empty"><b>${say("CallHasNoSystemPrompt")}</b>${say("ItAsksWithMessagesAlone")}</div>`;
  return html`<${Text} sheet=${answer.sheet} files=${answer.files} version=${page.version} words=${words} />`;
}

function Text({ sheet, files, version, words }) {
  const text = useRef(null);
  const { at, pinned, letGo, handlers } = usePointing(sheet);
  const page = { sheet, version, captured: true };
  return html`
    <p class="quiet small">${say("countTokensInSections", { count: tokens(sheet.tokens, sheet), sections: say("nSections", { n: sheet.blocks.length }) })} <${Accounted} files=${files} /></p>
    <div class="call-prompt">
      <div>
        <${Find} text=${text} sheet=${sheet} words=${words} />
        <div class="prompt-text" ref=${text} ...${handlers}><${PromptText} sheet=${sheet} paces=${PACES} /></div>
      </div>
      <${SourcePanel} page=${page} at=${at} pinned=${pinned} onClose=${letGo} />
    </div>`;
}

function Accounted({ files }) {
  if (files.problem) return html`<span class="foreign">${files.problem}</span>`;
  if (files.share === null) return null;
  return say("FilesTheyNowAccountShare", { share: percent(files.share) });
}

export function CallFiles({ call, page }) {
  const { answer, problem } = usePrompt(call, page);
  if (problem && !answer) return html`<div class="empty" role="alert"><span class="foreign">${problem.message}</span></div>`;
  if (!answer) return html`<${Busy} word=${say("LookingFilesBehind")} />`;
  const { files } = answer;
  const sent = files.files.filter((file) => file.sent), unsent = files.files.filter((file) => !file.sent);
  return html`
    <p class="quiet small"><${Accounted} files=${files} /></p>
    ${!files.files.length && !files.problem && html`<div class="empty"><b>${say("NoFileBehindCall")}</b>${say("NothingWhatSentStandsFile")}</div>`}
    ${[[say("Sent"), sent], [say("NotSent"), unsent]].map(([title, rows]) => rows.length > 0 && html`
      <h2 class="calls-title">${title} <span class="quiet">${rows.length}</span></h2>
      <ul class="file-list">${rows.map((file, at) => html`<${Row} key=${at} file=${file} />`)}</ul>`)}
    ${files.more > 0 && html`<p class="quiet">${say("andNFilesMore", { n: files.more })}</p>`}
    ${files.notes.map((note) => html`<p class="small quiet foreign">${note}</p>`)}`;
}

function Row({ file }) {
  const name = html`<span class="foreign path">${file.shown}</span>`;
  return html`
    <li>${file.file ? html`<a data-step href=${href("files", `${file.file}:1`)}>${name}</a>` : name}
      <span class="number">${file.odd ? html`<span class="tag odd">${say("otherwiseThanItsRulesSay")}</span>` : ""}</span>
      <span class="why small quiet foreign">${file.words}</span></li>`;
}
