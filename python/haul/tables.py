"""Tables that print as text, and as HTML in notebooks."""

import html


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


class Table:
    """Columns with names, and rows. Iterating gives each row as a dict; `t["column"]` gives a column as a list."""

    def __init__(self, columns, rows, title=""):
        self.columns, self.rows, self.title = list(columns), [list(row) for row in rows], title

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return (dict(zip(self.columns, row)) for row in self.rows)

    def __getitem__(self, column):
        if column not in self.columns:
            raise KeyError(f"no column {column!r}: there are {', '.join(self.columns)}")
        return [row[self.columns.index(column)] for row in self.rows]

    def chart(self, label, value):
        """A bar for each row, with the text of one column and the length of another."""
        return Chart(self.title or value, self[label], self[value])

    def _is_number(self, i):
        return all(row[i] is None or isinstance(row[i], (int, float)) for row in self.rows)

    def __repr__(self):
        cells = [self.columns] + [[shown(v) for v in row] for row in self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = ["  ".join(c.rjust(w) if self._is_number(i) else c.ljust(w)
                           for i, (c, w) in enumerate(zip(row, widths))).rstrip() for row in cells]
        lines.insert(1, "-" * (sum(widths) + 2 * len(widths) - 2))
        return "\n".join([self.title] * bool(self.title) + lines)

    def _repr_html_(self):
        def row(tag, cells):
            aligned = (f'<{tag} style="text-align:{"right" if self._is_number(i) else "left"}">{html.escape(c)}</{tag}>'
                       for i, c in enumerate(cells))
            return f"<tr>{''.join(aligned)}</tr>"

        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        body = "".join(row("td", [shown(v) for v in r]) for r in self.rows)
        return f"<table>{caption}<thead>{row('th', self.columns)}</thead><tbody>{body}</tbody></table>"


class Chart:
    """Bars, as text and, in notebooks, as SVG."""

    HEIGHT, LEFT, WIDTH = 22, 120, 360

    def __init__(self, title, labels, values):
        self.title, self.labels, self.values = title, [shown(v) for v in labels], [v or 0 for v in values]
        self._most = max([*self.values, 0]) or 1

    def __repr__(self):
        left = max(map(len, self.labels), default=0)
        lines = [f"{label.rjust(left)}  {'#' * round(40 * value / self._most)} {shown(value)}"
                 for label, value in zip(self.labels, self.values)]
        return "\n".join([self.title, *lines])

    def _repr_html_(self):
        bars = []
        for i, (label, value) in enumerate(zip(self.labels, self.values)):
            y, width = (i + 1) * self.HEIGHT, self.WIDTH * value / self._most
            bars.append(f'<text x="{self.LEFT - 8}" y="{y + 15}" text-anchor="end">{html.escape(label)}</text>'
                        f'<rect x="{self.LEFT}" y="{y + 3}" width="{width:.1f}" height="16" fill="#4878a8"/>'
                        f'<text x="{self.LEFT + width + 6:.1f}" y="{y + 15}">{shown(value)}</text>')
        size = f'width="{self.LEFT + self.WIDTH + 100}" height="{(len(bars) + 1) * self.HEIGHT + 6}"'
        return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" fill="currentColor">'
                f'<text x="{self.LEFT}" y="15" font-weight="bold">{html.escape(self.title)}</text>{"".join(bars)}</svg>')
