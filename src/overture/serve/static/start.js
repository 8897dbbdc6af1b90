// Where it begins: theme and language first, so that nothing flashes, then the page.
import { render } from "preact";
import { App } from "overture/app.js";
import { html } from "overture/html.js";
import { applyLanguage } from "overture/language.js";
import { applyTheme, keptTheme } from "overture/theme.js";

applyTheme(keptTheme());
applyLanguage();
render(html`<${App} />`, document.getElementById("page"));
