// Small drawings, all on a grid of 16 with lines of 1.5. They stand beside words and never alone.
import { html } from "overture/html.js";

const PATHS = {
  prompt: "M3 3h10M3 6.5h10M3 10h6M3 13h8",
  map: "M2.5 2.5h6v11h-6zM8.5 2.5h5v5h-5zM8.5 7.5h5v6h-5z",
  turns: "M8 2.5v3.2M8 10.3v3.2M8 8m-2.3 0a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0M3 2.5h2M3 13.5h2",
  play: "M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 4.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M5.5 11.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0",
  agents: "M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",
  files: "M4 1.8h5l3.2 3.2v9.2H4zM9 1.8v3.4h3.2",
  check: "M2.8 8.5l3.4 3.4 7-7.4",
  calls: "M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-5.5M13.5 13.5v-11",
  theme: "M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
};

export function Icon({ name }) {
  return html`<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

export function Sign() {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)" /><g fill="var(--on-accent)"><rect x="7" y="7" width="18" height="4" rx="2" /><rect x="7" y="14" width="12" height="4" rx="2" opacity=".85" /><rect x="7" y="21" width="7" height="4" rx="2" opacity=".7" /></g></svg>`;
}
