#!/bin/sh
# Opens pages in Chromium, at 1200 and 400 pixels: nothing is cut off, and the panes of the source follow a click and the
# keys. PAGE_SHOTS=FOLDER also saves screenshots there, light and dark.
source=$1 build=$2
browser=
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && browser=$name && break
done
[ "$browser" ] || { echo "skipped: no Chromium"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

cp "$source/tests/data/page/tiles.cu" "$source/tests/data/page/tiles.ptx" "$work"
launch='{"ptx": "tiles.ptx", "kernel": "tiles", "grid": [64], "block": [32, 8], "args": [{"buf": "f01", "words": 65536, "seed": 1}, {"buf": "f01", "words": 65536, "seed": 1}]}'
printf '%s\n%s\n' "$launch" "$launch" >"$work/twice.jsonl"
cd "$work" || exit 2
"$build/haul" profile twice.jsonl --device sim:h100 --html profile.html -q || exit 1
"$build/haul" stream --bytes 1M --chunk 128K --device sim:h100 --html stream.html -q || exit 1

# The page in a frame of a given width, which a window of Chromium cannot have below 500 pixels. The frame's script ends
# with a line of results in the title.
cat >check.js <<'JS'
const wrong = [], page = document.querySelector('iframe');
const expect = (holds, what) => { if (!holds) wrong.push(what); };
page.onload = () => {
    const d = page.contentDocument, w = page.contentWindow, root = d.documentElement;
    expect(root.scrollWidth <= root.clientWidth, `the page is ${root.scrollWidth} wide`);
    for (const e of d.querySelectorAll('body *')) {
        if (e.closest('svg') && e.tagName !== 'svg') continue;
        if (!e.getClientRects().length || e.tagName === 'SCRIPT') continue;
        if (w.getComputedStyle(e).overflowX !== 'visible')
            expect(e.scrollWidth <= e.clientWidth + 1, `cut off: ${e.tagName} ${e.className} ${e.textContent.slice(0, 30)}`);
        const box = e.getBoundingClientRect();
        expect(box.right <= root.clientWidth + 1, `over the edge: ${e.tagName} ${e.textContent.slice(0, 30)}`);
    }
    for (const svg of d.querySelectorAll('svg')) {
        const box = svg.getBoundingClientRect();
        for (const t of box.width ? svg.querySelectorAll('text') : []) {
            const words = t.getBoundingClientRect();
            expect(words.left >= box.left - 1 && words.right <= box.right + 1, `cut off: ${t.textContent}`);
            expect(words.height >= 8, `too small: ${t.textContent}`);
        }
    }
    const panes = d.querySelector('.listing');
    try { if (panes) drive(d, panes); } catch (e) { wrong.push(`the panes: ${e.message}`); }
    for (const a of d.querySelectorAll('nav a')) {
        a.click();
        expect(w.location.hash === a.getAttribute('href'), `link ${a.textContent}`);
    }
    for (const want of WANTED) expect(d.body.textContent.includes(want), `no ${want}`);
    document.title = wrong.length ? 'wrong: ' + [...new Set(wrong)].slice(0, 12).join('; ') : 'right';
};
const drive = (d, panes) => {
    const marked = pane => [...panes.querySelectorAll(`.${pane} tr.on`)];
    const press = (row, key) => row.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    const lines = [...panes.querySelectorAll('.source tr[data-at]')];
    expect(marked('source').length === 1 && marked('source')[0].textContent.includes('out['), 'the hottest line is not chosen');
    expect(marked('ptx').some(r => r.textContent.includes('ld.shared')), 'its PTX is not marked');
    lines[0].click();
    expect(marked('source')[0] === lines[0], 'a click does not choose a line');
    press(lines[0], 'ArrowDown');
    expect(marked('source')[0] === lines[1] && d.activeElement === lines[1], 'the arrow key does not move on');
    press(lines[1], 'ArrowUp');
    press(lines[0], 'Enter');
    expect(marked('source')[0] === lines[0], 'Enter does not choose a line');
    const load = [...panes.querySelectorAll('.ptx tr')].find(r => r.textContent.includes('ld.global'));
    load.click();
    expect(marked('source')[0].textContent.includes('in['), 'the source does not follow the PTX');
    expect(panes.querySelector('.source [tabindex="0"]') && panes.querySelector('.ptx [tabindex="0"]'), 'no Tab stop');
};
JS

# frame PAGE WIDTH 'WORDS THAT MUST BE THERE': writes the frame
frame() {
    printf '<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><iframe style="border:0;width:%spx;height:6000px"></iframe><script>const WANTED = [%s];' "$2" "$3"
    cat check.js
    printf 'page.src = "%s";</script>\n' "$1"
}

run() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir="$work/user" "$@" 2>log
}

failed=0
look() {
    frame "$1" "$2" "$3" >"frame.html"
    title=$(run --window-size=1200,900 --virtual-time-budget=5000 --dump-dom "file://$work/frame.html" | sed -n 's|.*<title>\(.*\)</title>.*|\1|p')
    [ "$title" = right ] || { echo "$1 at $2 pixels: ${title:-no answer: $(tail -3 log)}"; failed=1; }
    sed 's|<script>.*||; q' frame.html | sed "s|<iframe|<iframe src=\"$1\"|" >shot.html
    for scheme in ${PAGE_SHOTS:+1 0}; do
        run --window-size=1200,6000 --hide-scrollbars --blink-settings=preferredColorScheme=$scheme \
            --screenshot="$PAGE_SHOTS/${1%.html}-$2-$scheme.png" "file://$work/shot.html"
    done
}
for width in 1200 400; do
    look profile.html "$width" '"Memory chart", "Roofline", "Warp states", "Source", "Occupancy by threads", "Timeline", "of peak"'
    look stream.html "$width" '"Timeline", "to device"'
done
exit $failed
