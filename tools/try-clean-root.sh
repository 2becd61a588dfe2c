#!/bin/sh
# Tries haul as a newcomer: makes a bare Debian 12 system in a folder, clones this repository's HEAD into it, runs
# `make demo` and `make check` there, and prints how long each took. Needs root, debootstrap, and a Debian mirror.
# The clone and its dependencies end with the folder; nothing on this system changes.
#
#   tools/try-clean-root.sh [FOLDER] [TARGET...]   default: a new folder under /tmp, targets demo check
#
# A folder that exists already is taken as a bare root made before (by debootstrap) and is kept; one that this script
# made is removed at the end, unless KEEP=1.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)/root}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- demo check

. "$source/tools/clean-root.sh"

fetch_git_and_make() { # all that a newcomer is asked to have
    inside apt-get update -q &&
        inside apt-get install -q -y --no-install-recommends git make ca-certificates
}
clone() {
    git clone -q --bare "$source" "$folder/root/origin.git" &&
        inside git clone -q /root/origin.git /root/haul
}

clean_root "$folder"
timed "apt: git, make" fetch_git_and_make
rm -rf "$folder/root/origin.git" "$folder/root/haul"
timed "git clone" clone
for target; do
    timed "make $target" inside make -C /root/haul "$target"
    tail -n 5 "$folder.log"
done
