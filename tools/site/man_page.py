"""Turns haul's manual page into Markdown with HTML in it: headings for the menu, everything else as it is set in roff.

It knows the requests that docs/man/haul.1.in and tools/gen-man.c use, and refuses others.
"""

import html
import re

ESCAPES = {"\\-": "-", "\\e": "\\", "\\&": "", "\\(aq": "'", "\\ ": " "}
FONTS = {"B": "<b>", "I": "<i>", "R": ""}


def text_of(line):
    """A line of text: characters and font changes become HTML."""
    line = re.sub(r"\\(?:-|e|&|\(aq| )", lambda m: ESCAPES[m.group()], line)
    out, closing = "", ""
    for part in re.split(r"(\\f[BIR])", html.escape(line, quote=False)):
        if part[:2] == "\\f":
            out += closing + FONTS[part[2]]
            closing = {"B": "</b>", "I": "</i>", "R": ""}[part[2]]
        else:
            out += part
    return out + closing


def alternating(words, fonts):
    """The arguments of .BR and its kin, each in the next of two fonts."""
    parts = re.findall(r'"([^"]*)"|(\S+)', words)
    return text_of("".join(f"\\f{fonts[i % 2]}{quoted or plain}\\fR" for i, (quoted, plain) in enumerate(parts)))


def inline(line):
    """A line of text or of a request that makes text; None for others."""
    request = re.match(r"\.(\S+) ?(.*)", line)
    if not request:
        return text_of(line)
    name, words = request.groups()
    if name in ("B", "I"):
        return text_of(f"\\f{name}{words}\\fR")
    return alternating(words, name) if re.fullmatch("[BIR]{2}", name) else None


class Writer:
    def __init__(self):
        self.blocks, self.words, self.close = [], [], ("<p>", "</p>")

    def end(self):
        """Ends the paragraph or the description that is open."""
        if self.words:
            self.blocks.append(self.close[0] + "\n".join(self.words) + self.close[1])
        self.words, self.close = [], ("<p>", "</p>")


def heading(line):
    """A section, or a command: the menu has its name, the page also how it is called."""
    words = line[4:].strip('"').replace("\\-", "-")
    if line.startswith(".SH"):
        return "## " + words.capitalize()
    if not words.startswith("haul "):
        return "### " + words
    return "### " + " ".join(words.split()[:2]) + f"\n\n<p><code>{html.escape(words)}</code></p>"


def markdown(roff):
    w, lines = Writer(), iter(roff.split("\n"))
    for line in lines:
        words = inline(line)
        if words is not None:
            w.words += [words] if words else []
        elif line.startswith((".SH", ".SS")):
            w.end()
            w.blocks.append(heading(line))
        elif line == ".TP":
            w.end()
            w.close = (f"<dl><dt>{inline(next(lines))}</dt><dd>", "</dd></dl>")
        elif line == ".nf":
            w.end()
            code = "\n".join(iter(lambda: next(lines), ".fi"))
            w.blocks.append("<pre><code>" + text_of(code).strip("\n") + "\n</code></pre>")
        elif line == ".br":
            w.words.append("<br>")
        elif line in (".PP", ".RS", ".RE"):
            w.end()
        elif not line.startswith((".TH", '.\\"')):
            raise ValueError(f"the manual page has a request that tools/site/man_page.py does not know: {line}")
    w.end()
    return "# haul(1)\n\n" + "\n\n".join(w.blocks) + "\n"
