#!/bin/sh
# The notebooks of docs/ run from their first cell to the last, and so does the guide's program. tools/run-notebook says
# which cell fails.
set -u
. "$1/tests/python/python.sh"
$python -c 'import numpy' 2>out || { echo "no numpy for $python: install python3-numpy" && exit 77; }
"$root/toolchain/cu2ptx" --find >out 2>&1 || { cat out && exit 77; }
export PYTHONPATH="$root/python" HAUL_LIBRARY="$build/libhaul.so"
run() { "$python" "$root/tools/run-notebook" "$@"; }

for notebook in "$root"/docs/notebooks/*.ipynb; do
    run "$notebook" --write "$work/done.ipynb" >out 2>&1 || fail "$notebook: $(tail -n 40 out)"
    $python - "$notebook" done.ipynb <<'LINES' >out 2>&1 || fail "$notebook: $(tail -n 1 out)"
import json, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    assert not cell.get("outputs"), f"{cell['id']} is committed with outputs: clear them"
cells = [cell for cell in json.load(open(sys.argv[2]))["cells"] if cell["cell_type"] == "code"]
assert all(cell["execution_count"] for cell in cells)
shown = [output["data"] for cell in cells for output in cell["outputs"] if "data" in output]
assert any("<table" in "".join(data.get("text/html", "")) for data in shown), "no table is shown"
assert any("<svg" in "".join(data.get("text/html", "")) for data in shown), "no chart is shown"
LINES
done

# The guide's first program prints what the guide says.
awk '/^```python$/ { file = "guide.py"; next } /^```text$/ { file = "guide.txt"; next } /^```$/ { if (file == "guide.txt") exit; file = "" }
    file { print >file }' "$root/docs/python.md"
want "the guide's program" 0 $python guide.py
diff guide.txt out >err || fail "docs/python.md: $(cat err)"
want "source that does not compile" 0 $python -c '
import haul
try:
    haul.compile("__global__ void k(int *p) { *p = nothing; }\n", name="wrong.cu")
except haul.CompileError as error:
    print(error, error.status)'
has "nothing"
has "203$"

cat >bad.ipynb <<'LINES'
{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["words"]},
 {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": null, "outputs": [], "source": ["x = 20\n", "x + 1"]},
 {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": null, "outputs": [], "source": ["y = x\n", "y / 0"]},
 {"cell_type": "code", "id": "d", "metadata": {}, "execution_count": null, "outputs": [], "source": ["print('late')"]}]}
LINES
what="a cell that fails"
run bad.ipynb >out 2>err && fail "$what: status 0"
has '^21$'
has 'bad.ipynb: cell 2 failed'
has 'cell 2 of bad.ipynb", line 2'
has 'ZeroDivisionError'
grep -q late out && fail "cells after a failure ran"
run missing.ipynb >out 2>err && fail "a missing notebook: status 0"
done_with "the notebooks run"
