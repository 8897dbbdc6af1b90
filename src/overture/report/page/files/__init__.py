"""The files behind a prompt, as the page shows them: rows, texts, and who else reads them."""
