#!/bin/sh
# The tour of docs/team.md in a bare Debian 12 system: builds the packages and the wheel here, and runs each `sh` block of the page there,
# in order. A block behind the comment <!-- fails --> must fail, and print the `text` block after it. Prints each block's time. Needs root, debootstrap, and a Debian
# mirror.
#
#   tools/try-team.sh [FOLDER]   default: a new folder under /tmp, which is removed at the end, unless KEEP=1
#
# A FOLDER that exists is taken as such a system and kept. PACKAGES=FOLDER takes packages, and a wheel,
# that were built before.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
. "$source/tools/clean-root.sh"
clean_root "${1:-$(mktemp -d)/root}"
if [ -z "${PACKAGES:-}" ]; then
    PACKAGES=$source/build-deb
    timed "make deb" make -C "$source" deb
    timed "make wheel" make -C "$source" wheel
    cp "$source"/build/haul-*.whl "$PACKAGES"
fi
rm -rf "$folder/srv/tour"
mkdir "$folder/srv/tour"
cp "$PACKAGES"/*.deb "$PACKAGES"/*.whl "$folder/srv/tour"

# One file a block, 01.sh and so on, or 01.fails.sh and 01.want.
awk -v folder="$folder/srv" '
    /^<!-- fails -->$/ { fails = ".fails" }
    /^```sh$/ { file = sprintf("%s/tour/%02d%s.sh", folder, ++n, fails); next }
    /^```text$/ && fails { file = sprintf("%s/tour/%02d.want", folder, n); fails = ""; next }
    /^```$/ { if (file) close(file); file = "" }
    file { print >file }' "$source/docs/team.md"

run_block() { # in the folder where the block before it ended
    inside env DEBIAN_FRONTEND=noninteractive bash -euxo pipefail -c 'cd "$(cat /srv/folder)"; . "$0"; pwd >/srv/folder' "$@"
}
# The output of the failing block has each part of the wanted text, which leaves out `...`.
fails_as_told() {
    ! run_block "$1" || return 1
    sed 's/\.\.\./\n/g' "$2" | sed 's/^ *//; s/ *$//; /^$/d' | while read -r part; do
        grep -qF -- "$part" "$folder.log" || { echo "not printed: $part" && exit 1; }
    done
}
inside sh -c 'echo /srv/tour >/srv/folder'
for block in "$folder"/srv/tour/[0-9]*.sh; do
    name=${block#"$folder"}
    label="block $(basename "$name" .sh)"
    case $name in
    *.fails.sh) timed "$label" fails_as_told "$name" "${block%.fails.sh}.want" ;;
    *) timed "$label" run_block "$name" ;;
    esac
    if [ -n "${SHOW:-}" ]; then cat "$folder.log"; fi
done
