// Dark or light: as the system says, unless somebody chose.
import { useEffect, useState } from "preact/hooks";
import { say } from "overture/say.js";

const KEY = "overture-theme";

export function keptTheme() {
  try {
    return localStorage.getItem(KEY) || "system";
  } catch {
    return "system"; // storage is switched off
  }
}

export function applyTheme(theme) {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this page then.
  }
  dispatchEvent(new Event(KEY));
}

// The theme, whoever changes it: a button or a key.
export function useTheme() {
  const [theme, set] = useState(keptTheme());
  useEffect(() => {
    const changed = () => set(keptTheme());
    addEventListener(KEY, changed);
    return () => removeEventListener(KEY, changed);
  }, []);
  return theme;
}

const NAMES = { system: say("ThemeSystem"), light: say("ThemeLight"), dark: say("ThemeDark") };
export const themeWords = (theme) => NAMES[theme];

export function nextTheme(theme) {
  const order = ["system", "light", "dark"];
  return order[(order.indexOf(theme) + 1) % order.length];
}
