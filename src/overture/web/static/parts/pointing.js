// Pointing at the text of a prompt: what is under the pointer or has the focus, and what was clicked to stay in view.
import { useCallback, useEffect, useState } from "preact/hooks";
import { runAt, stepRun } from "overture/parts/runs.js";

// By how many, and whether within a line.
const STEPS = { ArrowDown: [1, false], ArrowUp: [-1, false], ArrowRight: [1, true], ArrowLeft: [-1, true] };

export function usePointing(sheet, onPin = () => {}) {
  const [seen, setSeen] = useState(null);
  const [pinned, setPinned] = useState(null);
  const look = useCallback((event) => setSeen(runAt(event.target)), []);
  const pin = (at) => { setPinned(at); if (at) onPin(at); };
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
  const handlers = { onMouseOver: look, onFocusIn: look, onClick: click, onKeyDown: key };
  return { at: pinned || seen, pinned: Boolean(pinned), letGo: () => setPinned(null), handlers };
}
