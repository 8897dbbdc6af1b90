// Every path that was looked at, what became of it and why; and the file itself.
import { useState } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { FileText } from "overture/parts/file_text.js";
import { Path } from "overture/parts/path.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";
import { number, tokens } from "overture/words.js";

const OUTCOMES = {
  loaded: say("inThePrompt"), hidden: say("anotherCameFirst"), duplicate: say("saysTheSameAsAnother"), cleared: say("empty"),
  unreadable: say("cantBeRead"), outside: say("aLinkLeavesTheProject"), skipped: say("cantBeUsed"), off: say("switchedOff"),
  unread: say("notReadByThisRecipe"), absent: say("notThere"), waiting: say("waitsForYourApproval"), lazy: say("loadedOnDemand"),
};
const KINDS = {
  context: say("instructions"), system: say("instructions"), append: say("instructions"), config: say("settings"), workspace: say("workspaceFile"),
  skill: say("skill"), template: say("template"), extension: say("extension"), rule: say("rule"), settings: say("settings"), agent: say("agent"),
  command: say("command"), memories: say("memories"), recipe: say("recipe"), identity: say("identity"), user: say("user"), soul: say("soul"),
};
const isUsed = (file) => file.outcome === "loaded" && file.tokens > 0;
const GROUPS = {
  used: [say("InThePrompt"), isUsed],
  unused: [say("HereAndNotUsed"), (file) => !isUsed(file) && file.outcome !== "absent"],
  absent: [say("LookedForAndNotThere"), (file) => file.outcome === "absent"],
};

export function FilesView({ page, place }) {
  const { answer, problem } = useAnswer("/page/files", page.version);
  const [word, setWord] = useState("");
  const [id, line] = place.split(":");
  const fits = (file) => !word || `${file.shown} ${file.what}`.toLowerCase().includes(word.toLowerCase());
  return html`
    <div class="page-view files-view">
      <h1>${say("Files")}</h1>
      <p class="lead">${say("EveryPathLookedAtPrompt")}</p>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} />`}
      ${answer && html`
        <input class="field" type="search" data-find placeholder=${say("FindAFile")} aria-label=${say("FindAFile")} value=${word} onInput=${(event) => setWord(event.target.value)} />
        <div class="files-and-text">
          <div>${Object.entries(GROUPS).map(([key, group]) => html`<${Group} key=${key} name=${key} group=${group} files=${answer.files.filter(fits)} chosen=${id} all=${word !== ""} sheet=${page.sheet} />`)}</div>
          ${id && html`<${FileText} id=${id} line=${Number(line) || 1} version=${page.version} />`}
        </div>`}
    </div>`;
}

function Group({ name, group: [title, holds], files, chosen, all, sheet }) {
  const found = files.filter(holds);
  if (!found.length) return null;
  return html`
    <details open=${name !== "absent" || all}>
      <summary><h2>${title} <span class="quiet">${number(found.length)}</span></h2></summary>
      <ul class="file-list">${found.map((file) => html`<${Row} key=${file.path + file.what} file=${file} chosen=${file.id === chosen} sheet=${sheet} />`)}</ul>
    </details>`;
}

function Row({ file, chosen, sheet }) {
  const name = html`<${Path} kind="path" text=${file.shown} title=${file.path} />`;
  return html`
    <li aria-current=${chosen ? "true" : undefined}>
      ${file.id ? html`<a data-step href=${href("files", file.id)}>${name}</a>` : name}
      <span class="number">${file.tokens ? html`${tokens(file.tokens, sheet)}<span class="quiet"> ${say("tokens")}</span>` : ""}</span>
      <span class="why small quiet"><span>${KINDS[file.what] || file.what}</span> · <span class="foreign">${file.detail || OUTCOMES[file.outcome] || file.outcome}</span>${file.outside && ` · ${say("outsideTheRepository")}`}</span>
    </li>`;
}
