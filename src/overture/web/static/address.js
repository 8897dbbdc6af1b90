// The address of what is seen: `#/prompt/skills`, `#/turns/2..5`. It can be shared, and goes back and forth.
import { useEffect, useState } from "preact/hooks";
import { inside } from "overture/server.js";

const ALL = ["prompt", "map", "turns", "play", "agents", "files", "check", "calls"];
// A page that is a file has the views whose answers lie in it.
export const VIEWS = inside ? ALL.filter((view) => `/page/${view === "prompt" || view === "map" ? "sheet" : view}` in inside) : ALL;

export function read(hash) {
  const [view, ...rest] = hash.replace(/^#\/?/, "").split("/");
  const place = rest.join("/");
  return { view: VIEWS.includes(view) ? view : VIEWS[0], place: decoded(place) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody typed it
  }
}

export function href(view, place = "") {
  return `#/${view}${place === "" ? "" : `/${encodeURIComponent(place)}`}`;
}

export function go(view, place = "") {
  location.hash = href(view, place);
}

// The same place without a new entry in the history.
export function stay(view, place = "") {
  history.replaceState(null, "", href(view, place));
}

export function useAddress() {
  const [address, set] = useState(read(location.hash));
  useEffect(() => {
    const changed = () => set(read(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return address;
}
