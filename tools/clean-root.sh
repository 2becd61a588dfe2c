# Read by scripts that try haul in a bare Debian 12 system: a folder made by debootstrap, in which commands run by chroot.
# Needs root, debootstrap and a Debian mirror. Nothing outside the folder changes.
#
# clean_root FOLDER makes the system, unless the folder exists, and mounts what it needs; a folder that it made is removed
# at the end, unless KEEP=1. `inside COMMAND...` runs a command there. `timed LABEL COMMAND...` prints its time, and ends the
# script with the end of its output if it fails.

clean_root() {
    folder=$1
    [ "$(id -u)" -eq 0 ] || { echo "${0##*/}: run as root (chroot and debootstrap need it)" >&2; exit 2; }
    command -v debootstrap >/dev/null || { echo "${0##*/}: install debootstrap first" >&2; exit 2; }
    keep=${KEEP:-0}
    trap leave_root EXIT
    trap 'exit 130' INT TERM
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
}

leave_root() {
    umount "$folder/proc" "$folder/dev/pts" 2>/dev/null || true
    [ "$keep" != 0 ] || rm -rf --one-file-system "$folder" "$folder.log"
}

timed() {
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
