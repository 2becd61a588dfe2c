#!/bin/sh
# Installs what haul is built and tested with, where it is missing. When nothing is missing it does nothing and
# needs no network. Uses apt (Debian 12, Ubuntu 22.04 and later), with sudo unless it runs as root; on other
# systems it names what is missing and ends with status 1.
#
#   tools/install-deps.sh             everything that `make check` and `make docs` use
#   tools/install-deps.sh --minimal   what `make` and `make demo` use
#   tools/install-deps.sh --package   what `make deb` uses
#   tools/install-deps.sh --check     installs nothing: names what is missing of either set, status 1 if anything is
set -eu

minimal=no
package=no
check=no
for option; do
    case $option in
    --minimal) minimal=yes ;;
    --full) minimal=no ;;
    --package) minimal=yes package=yes ;;
    --check) check=yes ;;
    *)
        echo "install-deps: unknown option '$option': use --minimal, --full, --package or --check" >&2
        exit 2
        ;;
    esac
done

have() { command -v "$1" >/dev/null 2>&1; }
have_library() { have pkg-config && pkg-config --exists "$1"; }

# Clang under its plain name, or the newest numbered one (the numbers that Debian and Ubuntu package).
clang_command() {
    for c in clang clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
        if have $c; then
            echo $c
            return
        fi
    done
    return 1
}
compiles() { # LANGUAGE COMPILER FLAGS...: is standard input accepted?
    language=$1
    shift
    "$@" -x "$language" -fsyntax-only - >/dev/null 2>&1
}
links() { # COMPILER FLAGS...: does standard input (C) become a program?
    object=$(mktemp)
    if "$@" -x c - -o "$object" >/dev/null 2>&1; then result=0; else result=1; fi
    rm -f "$object"
    return $result
}

have_c_compiler() { have cc && echo '#include <stdio.h>' | compiles c cc -std=c17; }
have_kernel_compiler() { have nvcc || have /usr/local/cuda/bin/nvcc || clang_command >/dev/null; }
have_cxx_headers() {
    clang=$(clang_command) || return 0 # nvcc brings its own way
    echo '#include <vector>' | compiles c++ "$clang"
}
have_clang() { clang_command >/dev/null; }
have_gcc_sanitizers() { have cc && echo 'int main(void) { return 0; }' | links cc -fsanitize=address,undefined; }
have_fuzzer() {
    clang=$(clang_command) || return 1
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d + !n; }' |
        links "$clang" -fsanitize=fuzzer,address,undefined
}

# mkdocs names the themes that it finds. A system that does not package both goes without.
have_site_generator() {
    have mkdocs && mkdocs build --help | grep -q material && return
    ! apt-cache show mkdocs mkdocs-material >/dev/null 2>&1
}

# Tests run Debian's own Python, /usr/bin/python3. It may be about to come with another package; other systems may lack it.
have_debian_module() {
    if [ -x /usr/bin/python3 ]; then
        /usr/bin/python3 -c "import $1" 2>/dev/null
    else
        ! have apt-get
    fi
}

# Some versions matter, but a system that does not package them goes without.
have_or_cannot() { have "$1" || ! apt-cache show "$1" >/dev/null 2>&1; }

# The header versions that clang looks for are those of the newest GCC it finds, which need not be the default.
cxx_headers_package() {
    version=$( ($(clang_command || echo clang) -v 2>&1 || true) | sed -n 's|^Selected GCC installation: .*/||p')
    [ -n "$version" ] && echo "libstdc++-$version-dev" || echo g++
}
# compiler-rt: a package of its own since LLVM 14 on Debian, part of libclang-common before and on older Ubuntus.
fuzzer_package() {
    version=$($(clang_command || echo clang) -dumpversion 2>/dev/null | cut -d. -f1)
    for p in libclang-rt-${version:-0}-dev libclang-rt-dev libclang-common-${version:-0}-dev; do
        if apt-cache show "$p" >/dev/null 2>&1; then
            echo "$p"
            return
        fi
    done
}

missing=
packages=
need() { # WHAT-FOR PACKAGE TEST...: notes what is missing unless the test succeeds; @NAME: the function NAME knows which
    what=$1
    package=$2
    shift 2
    "$@" && return
    case $package in @*) package=$("${package#@}") ;; esac
    missing="$missing
  $what"
    packages="$packages $package"
}

look_for_minimal() {
    need "a C17 compiler with the C library's headers (gcc)" "gcc libc6-dev" have_c_compiler
    need "make" make have make
    need "cmake, 3.20 or later" cmake have cmake
    need "ninja" ninja-build have ninja
    need "pkg-config" pkg-config have pkg-config
    need "jansson with headers (JSON)" libjansson-dev have_library jansson
    need "libsmartcols with headers, from util-linux (tables)" libsmartcols-dev have_library smartcols
    need "clang 14 or later, or the CUDA toolkit's nvcc (kernels)" clang have_kernel_compiler
}
look_for_package() {
    need "dpkg-shlibdeps (Debian packages)" dpkg-dev have dpkg-shlibdeps
    need "file (Debian packages)" file have file
}
look_for_full() {
    need "clang 14 or later (second compiler, fuzzing)" clang have_clang
    need "cmocka with headers (tests)" libcmocka-dev have_library cmocka
    need "python 3 (checks of the source)" python3 have python3
    need "numpy for Debian's Python (tests of the notebook)" python3-numpy have_debian_module numpy
    need "venv for Debian's Python (tests of the wheel)" python3-venv have_debian_module ensurepip
    need "the C compiler's AddressSanitizer and UBSan" gcc have_gcc_sanitizers
    need "Open MPI with headers (ranks, and their tests)" "openmpi-bin libopenmpi-dev" have mpicc
    need "doxygen (reference pages)" doxygen have doxygen
    need "mkdocs with its theme material (the documentation's site)" "mkdocs mkdocs-material" have_site_generator
}
# These depend on what the packages above brought, so they are looked for after them.
look_for_follow_ups() {
    need "the C++ headers for clang (libstdc++)" @cxx_headers_package have_cxx_headers
    if [ $minimal = no ]; then
        need "clang's libFuzzer and sanitizer runtimes (compiler-rt)" @fuzzer_package have_fuzzer
        need "clang-format 14 (check of the format: other versions differ)" clang-format-14 have_or_cannot clang-format-14
        need "clang 19 (kernels for sm_90a and their tests)" clang-19 have_or_cannot clang-19
    fi
}

give_up() {
    printf 'install-deps: missing:%s\ninstall-deps: %s\n' "$missing" "$1" >&2
    exit 1
}

installed=no
install_missing() {
    [ -n "$missing" ] || return 0
    [ $check = no ] || give_up "run tools/install-deps.sh without --check to install them"
    have apt-get || give_up "no apt here: install these with your system's package manager, then run make again"
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        have sudo || give_up "run as root, or install sudo: apt-get install$packages"
        as_root=sudo
    fi
    printf 'install-deps: missing:%s\n' "$missing"
    [ $installed = yes ] || $as_root apt-get update -q
    # shellcheck disable=SC2086 # the list is meant to split
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages
    installed=yes
    missing=
    packages=
}
look_for_main_part() {
    look_for_minimal
    [ $package = no ] || look_for_package
    [ $minimal = yes ] || look_for_full
}

look_for_main_part
install_missing
look_for_follow_ups
install_missing
[ $installed = yes ] || exit 0

look_for_main_part
look_for_follow_ups
[ -z "$missing" ] || give_up "these could not be installed"
