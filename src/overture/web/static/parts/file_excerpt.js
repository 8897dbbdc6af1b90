// Some lines of a file around the one that is meant.
import { useEffect, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { ask } from "overture/server.js";

const AROUND = 8;

export function useFile(id, version) {
  const [file, setFile] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let here = true;
    ask(`/page/file/${encodeURIComponent(id)}`).then(
      (found) => here && (setFile(found), setProblem(null)),
      (error) => here && (setFile(null), setProblem(error)),
    );
    return () => { here = false; };
  }, [id, version]);
  return [file, problem];
}

export function FileExcerpt({ id, line, version }) {
  const [file, problem] = useFile(id, version);
  if (problem) return html`<p class="small quiet foreign">${problem.message}</p>`;
  if (!file) return html`<div class="excerpt" aria-busy="true"></div>`;
  const lines = file.text.split("\n");
  const first = Math.max(line - AROUND, 1);
  return html`<div class="excerpt" tabindex="0" role="region" aria-label=${say("LinesOfFile", { file: file.shown })}>${lines.slice(first - 1, line + AROUND).map((text, at) => html`<${FileLine} number=${first + at} text=${text} on=${first + at === line} />`)}</div>`;
}

export function FileLine({ number, text, on }) {
  return html`<div class="file-line ${on ? "on" : ""}" id=${on ? "line-on" : undefined}><span class="at">${number}</span><span class="foreign text">${text || " "}</span></div>`;
}
