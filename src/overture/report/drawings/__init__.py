"""Reports as SVG."""
