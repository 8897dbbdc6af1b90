// The address of what is seen: `#/prompt/skills?recipe=codex&budget=500`, `#/turns/2..5`. It can be shared, and goes
// back and forth.
import { useEffect, useState } from "preact/hooks";

// The views that can answer here: the server names them. A saved page has fewer.
export const VIEWS = document.getElementById("page").dataset.views.split(" ");

export function read(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/");
  const given = new URLSearchParams(query);
  return {
    view: VIEWS.includes(view) ? view : VIEWS[0],
    place: decoded(rest.join("/")),
    recipe: given.get("recipe") || null,
    model: given.get("model") || null,
    budget: Number(given.get("budget")) || null,
  };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody typed it
  }
}

// Without `choice` the link keeps the agent, the model and the budget that are seen now.
export function href(view, place = "", choice = read(location.hash)) {
  const query = new URLSearchParams();
  for (const name of ["recipe", "model", "budget"]) if (choice[name]) query.set(name, choice[name]);
  const path = place === "" ? view : `${view}/${encodeURIComponent(place)}`;
  return `#/${path}${query.size ? `?${query}` : ""}`;
}

export function go(view, place = "") {
  location.hash = href(view, place);
}

// The same place without a new entry in the history.
export function stay(view, place = "") {
  history.replaceState(null, "", href(view, place));
}

// Another agent or model is a new entry, another budget none: it is dragged.
export function choose(change) {
  const now = read(location.hash);
  const next = href(now.view, now.place, { ...now, ...change });
  if (!("budget" in change) || "recipe" in change) {
    location.hash = next;
    return;
  }
  history.replaceState(null, "", next);
  dispatchEvent(new Event("hashchange"));
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
