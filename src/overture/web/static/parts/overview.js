// Before anything is pointed at: what the prompt is made of, the largest first, and what was changed or cut in it.
import { html } from "overture/html.js";
import { Path } from "overture/parts/path.js";
import { say } from "overture/say.js";
import { PACES, percent, tokens, tokensOf } from "overture/words.js";

const NAMES = { state: say("values"), rule: say("rules"), recipe: say("theRecipesOwnWords"), hook: say("hooks") };
const ROWS = 8;
export const OWN = "the agent's own text"; // of a prompt that was captured

export function Overview({ page }) {
  const { sheet } = page;
  const whole = allOf(sheet, page.captured).reduce((sum, block) => sum + block.tokens, 0) || 1;
  return html`
    <div class="told">
      <p class="quiet">${say("PointAtAnyTextSee")}</p>
      <h2>${say("WhereItComesFrom")}</h2>
      <ul class="shares">${bySource(sheet, page.captured).slice(0, ROWS).map(([name, count]) => html`
        <li key=${name}><${Path} kind="name" text=${name} /><span class="number">${tokens(count, sheet)}</span>
        <meter class="bar" min="0" max="1" value=${count / whole} aria-hidden="true"></meter></li>`)}</ul>
      ${!page.captured && html`<${Paces} sheet=${sheet} />`}
      <${Changed} sheet=${sheet} />
    </div>`;
}

function Paces({ sheet }) {
  return html`
    <h2>${say("HowOftenItChanges")}</h2>
    <ul class="shares">${sheet.paces.map((pace) => html`
      <li key=${pace.name} class="pace-${pace.name}"><span class="tag pace-${pace.name}">${PACES[pace.name]}</span><span class="number">${percent(pace.tokens / (sheet.tokens || 1))}</span></li>`)}</ul>`;
}

// What was captured counts as a whole: programs put instructions into messages, too.
const allOf = (sheet, captured) => (captured ? [...sheet.blocks, ...sheet.messages] : sheet.blocks);

function bySource(sheet, captured) {
  const found = new Map();
  const skills = new Set(sheet.sources.filter((source) => /\/SKILL\.md$/.test(source.path || "")).map((source) => source.path)).size;
  for (const block of allOf(sheet, captured)) {
    for (const piece of block.pieces) {
      const source = sheet.sources[piece.source];
      const name = source.kind === "file" ? inFew(source.label.replace(/:\d+$/, ""), skills) : source.label === OWN ? OWN : NAMES[source.kind];
      found.set(name, (found.get(name) || 0) + tokensOf(piece));
    }
  }
  return [...found].sort((a, b) => b[1] - a[1]);
}

// More skills than there is room for are one row.
const inFew = (label, skills) => (skills > ROWS && label.endsWith("/SKILL.md") ? say("nSkills", { n: skills }) : label);

function Changed({ sheet }) {
  const counts = {};
  for (const block of sheet.blocks) for (const piece of block.pieces) if (piece.mark) counts[piece.mark.kind] = (counts[piece.mark.kind] || 0) + 1;
  const rows = [
    counts.hidden && say("nInvisibleCharactersMadeVisible", { n: counts.hidden }),
    counts.neutralised && say("nPlacesMadeHarmless", { n: counts.neutralised }),
    counts.secret && say("nSecretsNotShown", { n: counts.secret }),
    sheet.cuts.length && say("nPartsShortenedOrLeft", { n: sheet.cuts.length }),
  ].filter(Boolean);
  if (!rows.length) return null;
  return html`<h2>${say("NotAsItWas")}</h2><ul class="shares">${rows.map((row) => html`<li key=${row}>${row}</li>`)}</ul>`;
}
