// Where it begins: the theme first, so that nothing flashes, then the page.
import { render } from "preact";
import { App } from "overture/app.js";
import { html } from "overture/html.js";
import { applyTheme, keptTheme } from "overture/theme_and_keys.js";

applyTheme(keptTheme());
render(html`<${App} />`, document.getElementById("page"));
