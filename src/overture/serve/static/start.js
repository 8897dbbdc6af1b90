// Where it begins: the theme first, so that nothing flashes, then the page.
import { render } from "preact";
import { applyTheme, keptTheme } from "overture/theme.js";
import { App } from "overture/app.js";
import { html } from "overture/html.js";

applyTheme(keptTheme());
render(html`<${App} />`, document.getElementById("page"));
