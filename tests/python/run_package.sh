#!/bin/sh
# The Python package over libhaul.so, and the files that tools/gen-api makes from the headers.
set -u
. "$1/tests/python/python.sh"
"$root/tools/gen-api" exports | diff - "$root/src/exports.map" >out || fail "src/exports.map is old: run tools/gen-api exports: $(cat out)"
"$root/tools/gen-api" python | diff - "$root/python/haul/_api.py" >out || fail "python/haul/_api.py is old: run tools/gen-api python: $(cat out)"
export PYTHONPATH="$root/python" HAUL_LIBRARY="$build/libhaul.so" PYTHONDONTWRITEBYTECODE=1
$python -m unittest discover -s "$root/tests/python" >out 2>&1 || fail "$(cat out)"
$python -c 'import sys, unittest
sys.modules["numpy"] = None
unittest.main(module=None, argv=["", "discover", "-s", sys.argv[1], "-p", "test_[al]*.py"])' "$root/tests/python" >out 2>&1 ||
    fail "without numpy: $(cat out)"
grep -q "skipped=3" out || fail "without numpy: $(cat out)"
want "without the library" 1 env HAUL_LIBRARY=/none/libhaul.so $python -c '
import sys
try:
    import haul
except ImportError as error:
    print(error)
    sys.exit(1)'
has "set HAUL_LIBRARY to its path"
done_with "the Python package"
