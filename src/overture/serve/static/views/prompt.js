// The prompt, whole, as it is sent; beside it where the text under the pointer came from.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { stay } from "overture/address.js";
import { html } from "overture/html.js";
import { Find } from "overture/parts/find.js";
import { PromptText } from "overture/parts/prompt_text.js";
import { runAt, showBlock, stepRun } from "overture/parts/runs.js";
import { SourcePanel } from "overture/parts/source_panel.js";
import { Summary } from "overture/parts/summary.js";

// By how many, and whether within a line.
const STEPS = { ArrowDown: [1, false], ArrowUp: [-1, false], ArrowRight: [1, true], ArrowLeft: [-1, true] };

export function PromptView({ page, place }) {
  const { sheet } = page;
  const text = useRef(null);
  const [seen, setSeen] = useState(null);
  const [pinned, setPinned] = useState(null);
  const look = useCallback((event) => setSeen(runAt(event.target)), []);
  const pin = useCallback((at) => {
    setPinned(at);
    if (at) stay("prompt", at.name);
  }, []);
  useEffect(() => { if (place) showBlock(place); }, [place]);
  useEffect(() => { setPinned((at) => (at && sheet.blocks[at.block]?.name === at.name ? at : null)); }, [sheet]);

  const click = (event) => {
    if (getSelection().isCollapsed && runAt(event.target)) pin(runAt(event.target));
  };
  const key = (event) => {
    if (event.key in STEPS && !event.metaKey && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      stepRun(event.target, ...STEPS[event.key]);
    }
    if (event.key === "Enter" && runAt(event.target)) pin(runAt(event.target));
    if (event.key === "Escape" && pinned) {
      event.preventDefault();
      setPinned(null);
    }
  };
  return html`
    <div class="prompt-view">
      <div class="prompt-column">
        <${Summary} page=${page} />
        <${Find} text=${text} sheet=${sheet} />
        <div class="prompt-text" ref=${text} onMouseOver=${look} onFocusIn=${look} onClick=${click} onKeyDown=${key}>
          <${PromptText} sheet=${sheet} />
        </div>
      </div>
      <${SourcePanel} page=${page} at=${pinned || seen} pinned=${Boolean(pinned)} onClose=${() => setPinned(null)} />
    </div>`;
}
