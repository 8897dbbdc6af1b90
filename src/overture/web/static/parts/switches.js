// Things that can be switched on and off, by name.
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { number } from "overture/words.js";

export function Switches({ name, all, off, onOff }) {
  if (!all.length) return null;
  const flip = (each) => onOff(off.includes(each) ? off.filter((other) => other !== each) : [...off, each]);
  return html`
    <details class="switches" open=${all.length <= 12}>
      <summary>${name} <span class="quiet">${say("atOfAll", { at: number(all.length - off.length), all: number(all.length) })}</span></summary>
      <p class="row"><button class="button bare" onClick=${() => onOff([])}>${say("all")}</button><button class="button bare" onClick=${() => onOff(all.map((each) => each.name))}>${say("none")}</button></p>
      <ul>${all.map((each) => html`<li key=${each.name}><label class="row" title=${each.description || ""}><input type="checkbox" checked=${!off.includes(each.name)} onChange=${() => flip(each.name)} /> <span class="foreign">${each.name}</span></label></li>`)}</ul>
    </details>`;
}
