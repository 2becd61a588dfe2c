#!/bin/sh
# No link of a Markdown page is dead, neither its file nor its heading, and docs/index.md lists all pages.
exec "$1/tools/check-links" "$1"
