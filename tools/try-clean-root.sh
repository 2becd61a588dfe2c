#!/bin/sh
# What a newcomer meets: makes a bare Debian 12 system in a folder, clones this repository's HEAD into it, runs
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

[ "$(id -u)" -eq 0 ] || { echo "try-clean-root: run as root (chroot and debootstrap need it)" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "try-clean-root: install debootstrap first" >&2; exit 2; }

keep=${KEEP:-0}
leave() {
    umount "$folder/proc" "$folder/dev/pts" 2>/dev/null || true
    [ "$keep" != 0 ] || rm -rf --one-file-system "$folder" "$folder.log"
}
trap leave EXIT
trap 'exit 130' INT TERM

timed() { # LABEL COMMAND...
    label=$1
    shift
    start=$(date +%s)
    if "$@" >"$folder.log" 2>&1; then result=ok; else result=FAILED; fi
    printf '%-24s %4d s  %s\n' "$label" $(($(date +%s) - start)) $result
    [ $result = ok ] && return
    tail -n 60 "$folder.log"
    exit 1
}
inside() { chroot "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb "$@"; }
fetch_git_and_make() { # all that a newcomer is asked to have
    inside apt-get update -q &&
        inside apt-get install -q -y --no-install-recommends git make ca-certificates
}
clone() {
    git clone -q --bare "$source" "$folder/root/origin.git" &&
        inside git clone -q /root/origin.git /root/haul
}

if [ -e "$folder" ]; then
    keep=1
else
    mkdir -p "$(dirname "$folder")"
    timed "bare Debian 12" debootstrap --variant=minbase bookworm "$folder"
fi
mount -t proc proc "$folder/proc"
mkdir -p "$folder/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts"
[ -L "$folder/dev/ptmx" ] || { rm -f "$folder/dev/ptmx" && ln -s pts/ptmx "$folder/dev/ptmx"; }
timed "apt: git, make" fetch_git_and_make
rm -rf "$folder/root/origin.git" "$folder/root/haul"
timed "git clone" clone
for target; do
    timed "make $target" inside make -C /root/haul "$target"
    tail -n 5 "$folder.log"
done
