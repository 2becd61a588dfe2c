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
