// Every path that was looked at, what became of it and why; and the file itself.
import { useState } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { useAnswer } from "overture/server.js";
import { FileText } from "overture/source_panel.js";
import { Busy, Path, ShownProblem } from "overture/widgets.js";
import { number, tokens } from "overture/words.js";

const OUTCOMES = {
  loaded: "in the prompt", hidden: "hidden by another file", duplicate: "same text as another file", cleared: "empty",
  unreadable: "can't be read", outside: "a link leaves the project", skipped: "can't be used", off: "disabled",
  unread: "not read by this recipe", absent: "missing", waiting: "needs your approval", lazy: "loaded on demand",
};
const KINDS = {
  context: "instructions", system: "instructions", append: "instructions", config: "settings",
  workspace: "workspace file",
};
const isUsed = (file) => file.outcome === "loaded" && file.tokens > 0;
const GROUPS = {
  used: ["In the prompt", isUsed],
  unused: ["Found, but not used", (file) => !isUsed(file) && file.outcome !== "absent"],
  absent: ["Looked for, not found", (file) => file.outcome === "absent"],
};

export function FilesView({ page, place }) {
  const { answer, problem } = useAnswer("/page/files", page.version);
  const [word, setWord] = useState("");
  const [id, line] = place.split(":");
  const fits = (file) => `${file.shown} ${file.what}`.toLowerCase().includes(word.toLowerCase());
  const group = (name) => html`
    <${Group} key=${name} name=${name} files=${answer.files.filter(fits)} chosen=${id} all=${word !== ""}
      sheet=${page.sheet} />`;
  return html`
    <div class="page-view files-view">
      <h1>Files</h1>
      <p class="lead">Every path that was searched for this prompt, and the result.</p>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} />`}
      ${answer && html`
        <input class="field" type="search" data-find placeholder="Find a file" aria-label="Find a file" value=${word}
          onInput=${(event) => setWord(event.target.value)} />
        <div class="files-and-text">
          <div>${Object.keys(GROUPS).map(group)}</div>
          ${id && html`<${FileText} id=${id} line=${Number(line) || 1} version=${page.version} />`}
        </div>`}
    </div>`;
}

function Group({ name, files, chosen, all, sheet }) {
  const [title, holds] = GROUPS[name];
  const found = files.filter(holds);
  if (!found.length) return null;
  return html`
    <details open=${name !== "absent" || all}>
      <summary><h2>${title} <span class="quiet">${number(found.length)}</span></h2></summary>
      <ul class="file-list">${found.map((file) => html`
        <${Row} key=${file.path + file.what} file=${file} chosen=${file.id === chosen} sheet=${sheet} />`)}</ul>
    </details>`;
}

function Row({ file, chosen, sheet }) {
  const name = html`<${Path} kind="path" text=${file.shown} title=${file.path} />`;
  return html`
    <li aria-current=${chosen ? "true" : undefined}>
      ${file.id ? html`<a data-step href=${href("files", file.id)}>${name}</a>` : name}
      <span class="number">
        ${file.tokens > 0 && html`${tokens(file.tokens, sheet)}<span class="quiet"> tokens</span>`}</span>
      <span class="why small quiet"><span>${KINDS[file.what] || file.what}</span> · <span class="foreign">${file.detail
        || OUTCOMES[file.outcome]}</span>${file.outside && " · outside the repository"}</span>
    </li>`;
}
