// Dark or light: as the system says, unless somebody chose.
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
}

export function nextTheme(theme) {
  const order = ["system", "light", "dark"];
  return order[(order.indexOf(theme) + 1) % order.length];
}
