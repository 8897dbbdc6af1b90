// A wide table scrolls sideways: with the arrow keys too, once it can have the focus.
document$.subscribe(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
});
