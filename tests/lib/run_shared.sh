#!/bin/sh
# libhaul.so: it exports the names of the public headers with a version and nothing else, and programs use it through
# find_package(haul), pkg-config and dlopen(), also where the process has no room for thread-local variables left.
set -u
. "$1/tests/want.sh"
build=$2
[ -e "$build/libhaul.so" ] || { echo "no libhaul.so: a build with sanitizers has none" && exit 77; }
prefix=$work/prefix
want "cmake --install" 0 cmake --install "$build" --prefix "$prefix"
library=$(find "$prefix" -name 'libhaul.so.[0-9]')
node=HAUL_$(sed -n 's/^project(haul VERSION \([0-9]*[.][0-9]*\).*/\1/p' "$root/CMakeLists.txt")

# A public name is one that a header has and an archive defines.
cat "$root"/include/haul/*.h "$root"/include/haul/*.def | grep -o 'haul_[a-z0-9_]*' | sort -u >words
nm --defined-only --extern-only "$build/src/libhaul.a" "$build/kernels/libhaul_kernels.a" 2>/dev/null |
    sed -n 's/.* [A-Z] \(haul_[a-z0-9_]*\)$/\1/p' | sort -u | comm -12 - words >public
nm --dynamic --defined-only --with-symbol-versions "$library" | sed 's/^[^ ]* [^ ] //' | sort >exported
what="the exported names"
[ "$(wc -l <public)" -gt 150 ] || fail "only $(wc -l <public) public names"
{ echo "$node"; sed "s/$/@@$node/" public; } | sort | diff - exported >out || fail "$what differ from the headers': $(cat out)"
readelf --dynamic "$library" >dynamic
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic | grep -v '^\(libc\|libm\|ld-linux.*\)\.so' >out && fail "it needs $(cat out)"
grep -q STATIC_TLS dynamic && fail "thread-local variables need room that a process may not have: see CMakeLists.txt"

printf '%s\n' "no machine" "load: 128 sectors" "saxpy: 3 6 9 12" >expected
runs() { # WHAT COMMAND...: the program prints a message, a counter and a result
    label=$1
    shift
    want "$label" 0 env -u LD_LIBRARY_PATH "$@"
    sed -i '1s/.*no such machine.*/no machine/' out
    diff expected out >err || fail "$label: $(cat err)"
}
source=$root/tests/lib/shared_program.c

mkdir project
cp "$source" project
cat >project/CMakeLists.txt <<'LINES'
cmake_minimum_required(VERSION 3.20)
project(programs LANGUAGES C)
find_package(haul REQUIRED COMPONENTS library)
add_executable(shared shared_program.c)
target_link_libraries(shared PRIVATE haul::shared)
add_executable(static shared_program.c)
target_link_libraries(static PRIVATE haul::kernels haul::haul)
LINES
want "find_package(haul)" 0 cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix"
want "the build" 0 cmake --build project/build
runs "haul::shared" project/build/shared
runs "haul::haul" project/build/static
readelf --dynamic project/build/shared | grep -q "NEEDED.*libhaul\.so\.[0-9]" || fail "haul::shared is not linked with libhaul.so"
readelf --dynamic project/build/static | grep -q "NEEDED.*\(haul\|jansson\|smartcols\)" && fail "haul::haul is not static"

PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are meant to split
want "pkg-config" 0 cc -std=c17 "$source" $(pkg-config --cflags --libs haul) -Wl,-rpath,"$(dirname "$library")" -o linked
runs "pkg-config" ./linked
readelf --dynamic linked | grep -q "NEEDED.*libhaul\.so\.[0-9]" || fail "pkg-config does not name libhaul.so"
# shellcheck disable=SC2046
cc -std=c17 -static "$source" $(pkg-config --static --cflags --libs haul) -o linked 2>out || fail "pkg-config --static: $(cat out)"
runs "pkg-config --static" ./linked

# The program's own functions are not called, though all of them can be seen.
# shellcheck disable=SC2046
want "a program that opens it" 0 cc -std=gnu17 -DOPENS -rdynamic "$source" $(pkg-config --cflags haul) -ldl -o opens
runs "dlopen()" ./opens "$library" "$node"

# With these settings of the C library there is no room for the thread-local variables of a library that claims it.
echo 'static _Thread_local char room[2048]; void *get(int i) { return &room[i]; }' >greedy.c
want "a greedy library" 0 cc -shared -fPIC -ftls-model=initial-exec greedy.c -o greedy.so
GLIBC_TUNABLES=glibc.rtld.nns=1:glibc.rtld.optional_static_tls=0
export GLIBC_TUNABLES
want "a library that claims room" 1 ./opens "$work/greedy.so" "$node"
has "static TLS"
runs "dlopen() without room" ./opens "$library" "$node"
done_with "libhaul.so has the public names, and programs use it"
