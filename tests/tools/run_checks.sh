#!/bin/sh
# The checks of the source find what they are for: each is run over a small tree with one planted fault.
set -u
source=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

plant() { # FILE; contents on standard input
    rm -rf "$tree"
    mkdir -p "$tree/$(dirname "$1")" "$tree/src/base" "$tree/src/exec" "$tree/include/haul"
    printf '#ifndef HAUL_RUN_H\n#define HAUL_RUN_H\n#endif\n' >"$tree/include/haul/run.h"
    printf '#ifndef HAUL_BASE_TEXT_H\n#define HAUL_BASE_TEXT_H\n#endif\n' >"$tree/src/base/text.h"
    printf '#ifndef HAUL_EXEC_WARP_H\n#define HAUL_EXEC_WARP_H\n#endif\n' >"$tree/src/exec/warp.h"
    cp "$source/.clang-format" "$tree/"
    cat >"$tree/$1"
}
beside() { # FILE, in the tree of the last plant; contents on standard input
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}
finds() { # CHECK WORDS
    # shellcheck disable=SC2086 # a check may come with an option
    if output=$("$source"/tools/$1 "$tree" 2>/dev/null); then
        echo "$1 did not fail: $2"
        failures=$((failures + 1))
    elif ! printf '%s\n' "$output" | grep -q -e "$2"; then
        printf '%s did not say "%s":\n%s\n' "$1" "$2" "$output"
        failures=$((failures + 1))
    fi
}
accepts() { # CHECK
    output=$("$source/tools/$1" "$tree" 2>/dev/null) && return
    printf '%s refused a good tree:\n%s\n' "$1" "$output"
    failures=$((failures + 1))
}
lines() { # COUNT TEXT
    awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; i++) print text }'
}

plant src/exec/good.c <<'END'
#include "base/text.h"
#include "exec/warp.h"
#include <haul/run.h>
#include <stdio.h>
END
accepts check-includes
accepts check-style

echo '#include "exec/warp.h"' | plant src/base/up.c
finds check-includes "src/base/up.c:1: base (rank 1) includes 'exec/warp.h' of exec (rank 9)"
echo '#include "exec/warp.h"' | plant include/haul/public.h
finds check-includes "include/haul/public.h:1: haul (rank 0)"
printf '\n  #  include "../base/text.h"\n' | plant src/exec/dots.c
finds check-includes "src/exec/dots.c:2: .*not written from src/"
echo '#include "warp.h"' | plant src/exec/relative.c
finds check-includes "src/exec/relative.c:1: .*not written from src/"
echo '#include "exec/warp.h"' | plant src/exec/sub/a.h
echo '#include "exec/sub/a.h"' | beside src/exec/upper.c
finds check-includes "src: these folders include each other: exec, exec/sub"
echo '#include "exec/two.h"' | plant src/exec/one.c
echo 'int one(void);' | beside src/exec/one.h
echo '#include "exec/one.h"' | beside src/exec/two.h
finds check-includes "src: these files include each other: exec/one, exec/two"
echo 'int x;' | plant src/other/new.c
finds check-includes "its folder has no rank"

{ echo 'int longest(int a) {' && lines 58 '    a++;' && echo '    return a;' && echo '}'; } | plant src/exec/long.c
finds check-style "src/exec/long.c:1: longest() has 61 lines"
{ echo 'static int shorter(int a) { // } {' && lines 57 '    a++;' && echo '    return a;' && echo '}'; } |
    plant src/exec/short.c
output=$("$source/tools/check-style" "$tree" 2>/dev/null | grep 'has .* lines') && {
    echo "check-style took 60 lines for too many: $output"
    failures=$((failures + 1))
}
lines 901 'int x;' | plant src/exec/file.c
finds check-style "src/exec/file.c:1: 901 lines"
echo "/* TO""DO: later */" | plant src/exec/later.c
finds check-style "src/exec/later.c:1: reads as unfinished"
printf '#if 0\n#endif\n' | plant src/exec/off.c
finds check-style "src/exec/off.c:1: reads as unfinished"
echo "See \"/ho""me/somebody/notes\"." | plant docs/path.md
finds check-style "docs/path.md:1: names a place outside the repository"
echo "include ../sha""red/rules" | plant docs/path.md
finds check-style "docs/path.md:1: names a place outside the repository"
echo 'Read [this](here.md) and [that](there.md#part).' | plant docs/here.md
finds check-links "docs/here.md:1: links to there.md, which is not there"
printf '# One `word`, two\n[up](#one-word-two)\n[no](here.md#two)\n' | plant docs/here.md
finds check-links "docs/here.md:3: links to here.md#two: that page has no such heading"
printf '# All\n' | plant docs/index.md
accepts check-links
cp "$tree/docs/index.md" "$tree/docs/other.md"
finds check-links "docs/index.md:1: does not list docs/other.md"
printf '<a href="there.html#part">\n<a href="#top">\n<a id="part" href="page.html#gone">' | plant docs/page.html
finds "check-links --site" "page.html:1: links to there.html#part, which is not there"
finds "check-links --site" "page.html:3: links to page.html#gone: that page has no such place"
printf '#ifndef WARP_H\n#define WARP_H\n#endif\n' | plant src/exec/ops/guard.h
finds check-style "src/exec/ops/guard.h:1: has no guard HAUL_EXEC_OPS_GUARD_H"
if command -v clang-format-14 >/dev/null; then
    echo 'int  x ;' | plant src/exec/format.c
    finds check-style "src/exec/format.c:1:.*clang-format"
fi

shows() { # STATUS SHOWN PRINTED: a page that shows one line where a command prints another
    rm -rf "$tree" && mkdir "$tree"
    printf '```console\n$ echo "%s"\n%s\n```\n' "$3" "$2" >"$tree/page.md"
    "$source/tools/check-console" "$tree" "$tree/page.md" >/dev/null
    [ $? -eq "$1" ] && return
    echo "check-console: status is not $1 where a page shows '$2' and the command prints '$3'"
    failures=$((failures + 1))
}
shows 0 '4 chunks in 239.87 us' '4 chunks in 239.89 us'
shows 1 '4 chunks in 239.87 us' '4 chunks in 245.00 us'
shows 1 '4 chunks in 239.87 us' '5 chunks in 239.87 us'
shows 1 '99.90% agree' '99.91% agree'
shows 1 '0.50 us' 'it took long'
exit $((failures > 0))
