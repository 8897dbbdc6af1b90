// The address of what is seen: `#/prompt/skills`, `#/turns/2..5`. It can be shared, and goes back and forth.
import { useEffect, useState } from "preact/hooks";

// The views that can answer here: the server names them. A saved page, and one of a session elsewhere, have fewer.
export const VIEWS = document.getElementById("page").dataset.views.split(" ");
export const canTry = VIEWS.includes("play");

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
