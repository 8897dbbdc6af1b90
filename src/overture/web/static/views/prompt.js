// The prompt, whole, as it is sent; beside it where the text under the pointer came from.
import { useEffect, useRef } from "preact/hooks";
import { stay } from "overture/address.js";
import { html } from "overture/html.js";
import { Find } from "overture/parts/find.js";
import { usePointing } from "overture/parts/pointing.js";
import { PromptText } from "overture/parts/prompt_text.js";
import { showBlock } from "overture/parts/runs.js";
import { SourcePanel } from "overture/parts/source_panel.js";
import { Change, Summary } from "overture/parts/summary.js";

export function PromptView({ page, place }) {
  const { sheet } = page;
  const text = useRef(null);
  const { at, pinned, letGo, handlers } = usePointing(sheet, (found) => stay("prompt", found.name));
  useEffect(() => { if (place) showBlock(place); }, [place]);
  return html`
    <div class="prompt-view">
      <div class="prompt-column">
        <${Summary} page=${page} />
        <${Find} text=${text} sheet=${sheet} />
        <div class="prompt-text" ref=${text} ...${handlers}>
          <${PromptText} sheet=${sheet} lines=${page.trying ? undefined : page.change?.lines} />
        </div>
        ${page.change && !page.trying && html`<${Change} page=${page} />`}
      </div>
      <${SourcePanel} page=${page} at=${at} pinned=${pinned} onClose=${letGo} />
    </div>`;
}
