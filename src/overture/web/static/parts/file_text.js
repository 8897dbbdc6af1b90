// A whole file with its lines; the one that is meant stands in the middle.
import { useEffect } from "preact/hooks";
import { html } from "overture/html.js";
import { FileLine, useFile } from "overture/parts/file_excerpt.js";
import { say } from "overture/say.js";

export function FileText({ id, line, version }) {
  const [file, problem] = useFile(id, version);
  useEffect(() => { document.getElementById("line-on")?.scrollIntoView({ block: "center" }); }, [file?.id, line]);
  if (problem) return html`<div class="card"><div class="inside foreign">${problem.message}</div></div>`;
  if (!file) return html`<div class="card file-text" aria-busy="true"></div>`;
  const lines = file.text.split("\n");
  return html`
    <section class="card file-text" aria-label=${file.shown}>
      <header><h2 class="foreign">${file.shown}</h2><span class="small quiet">${say("nLines", { n: lines.length })}${file.cut ? `, ${file.cut}` : ""}</span></header>
      <div class="excerpt" tabindex="0" role="region" aria-label=${say("TextOfFile", { file: file.shown })}>
        ${lines.map((text, at) => html`<${FileLine} number=${at + 1} text=${text} on=${at + 1 === line} />`)}
      </div>
    </section>`;
}
