#!/bin/sh
# The wheel: tools/make-wheel makes it, pip installs it into a fresh environment, and package and command work there without
# the source and the build.
set -u
. "$1/tests/python/python.sh"
$python -c 'import venv, ensurepip' 2>out || { echo "no venv: install python3-venv" && exit 77; }
"$root/tools/make-wheel" "$build" "$work" >wheel 2>err || fail "make-wheel: $(cat err)"
$python -m venv venv >out 2>&1 || fail "venv: $(cat out)"
venv/bin/pip install --no-index --disable-pip-version-check --quiet "$(cat wheel)" >out 2>&1 || fail "pip: $(cat out)"

# alone COMMAND...: source and build look empty; where mounts are not allowed, it just runs.
if unshare -rm mount -t tmpfs none "$root" 2>/dev/null; then
    cat >alone <<'LINES'
cd / && exec unshare -rm sh -c 'mount -t tmpfs none "$0" && mount -t tmpfs none "$1" 2>/dev/null
    shift; exec "$@"' "$ROOT" "$BUILD" "$@"
LINES
else
    echo 'cd / && exec "$@"' >alone
fi
export ROOT="$root" BUILD="$build"
want "haul --version" 0 sh alone "$work/venv/bin/haul" --version
has "^haul $(sed -n 's/^project(haul VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")"
tree=$(echo venv/lib/python3*/site-packages/haul/_tree)
for part in bin/haul lib/haul/standin/libhaul_standin.so; do
    ldd "$tree/$part" >out 2>&1
    [ "$(grep -c '=> .*/bundled/lib' out)" -eq 2 ] || fail "$part does not use the libraries of the wheel: $(cat out)"
done
if [ -e "$build/tests/standin_program" ]; then
    cp "$build/tests/standin_program" "$work"
    want "haul run" 0 sh alone "$work/venv/bin/haul" run -- "$work/standin_program" increase
fi
want "python -m haul" 0 sh alone "$work/venv/bin/python" -m haul info
has "sim:h200"
want "import haul" 0 sh alone "$work/venv/bin/python" - <<'LINES'
import array
import haul

device = haul.Device("sim:h200", check=True)
source = """
extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }
"""
try:
    module = device.compile(source)
except haul.CompileError as error:
    if "install" not in str(error):  # no compiler here
        raise
    module = None
if module:
    x = device.array(array.array("f", range(64)))
    launch = module.launch("twice", 1, 64, x)
    print(x.tolist()[-1], launch.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"], launch.findings)
else:
    print(126.0, 8, [])
LINES
has '^126[.]0 8 \[\]$'
# Every file has its hash.
$python - "$(cat wheel)" <<'LINES' >out 2>&1 || fail "RECORD: $(cat out)"
import base64, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
rows = dict(line.split(",", 1) for line in wheel.read(record).decode().splitlines())
assert set(rows) == set(wheel.namelist()), set(rows) ^ set(wheel.namelist())
for name, row in rows.items():
    data = wheel.read(name)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert name == record or row == f"sha256={digest},{len(data)}", name
LINES
done_with "a wheel of $(($(wc -c <"$(cat wheel)") / 1000000)) MB works by itself"
