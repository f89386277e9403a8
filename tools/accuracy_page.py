#!/usr/bin/env python3
"""Writes the page of `make accuracy` from the rows that its programs scored.

    accuracy_page.py VERSION ROWS.csv >accuracy-VERSION.html

Each set with its error and the share of its rows in their band, and the same by engine and
version, GPU, format and users; another planner beside on the rows that it answers, too. The
columns are those of tests/accuracy/rows_out.h. Not installed.
"""
import collections
import csv
import html
import sys

COLUMNS = ("set", "what", "engine", "version", "gpu", "format", "users", "measured", "planned",
           "low", "high", "peer", "peer_name")
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:.6em 0 1.4em}th,td{padding:.15em .9em;text-align:right}
th:first-child,td:first-child{text-align:left}thead th{border-bottom:1px solid #888}
tbody tr:nth-child(even){background:#8881}.bad{color:#b00020}summary{cursor:pointer}"""
LEAST = 3  # rows of a group that is shown


def number(text):
    return float(text) if text else None


def share_of(values, share):
    """The value that so many of them do not exceed."""
    values = sorted(values)
    return values[min(int(share * len(values)), len(values) - 1)]


def users_of(row):
    users = number(row["users"])
    if users is None:
        return None
    for most, words in ((1, "1 user"), (8, "2 to 8"), (32, "9 to 32"), (128, "33 to 128")):
        if users <= most:
            return words
    return "more than 128"


def score(rows):
    """Rows, median and 90th percentile of the error in %, bias, % in band, width of the band."""
    errors = [number(r["planned"]) / number(r["measured"]) - 1 for r in rows]
    size = [abs(e) for e in errors]
    banded = [r for r in rows if r["low"] and r["high"]]
    inside = sum(number(r["low"]) * .995 <= number(r["measured"]) <= number(r["high"]) * 1.005
                 for r in banded)
    width = [number(r["high"]) / number(r["low"]) for r in banded if number(r["low"]) > 0]
    return (len(rows), 100 * share_of(size, .5), 100 * share_of(size, .9),
            100 * share_of(errors, .5), 100 * inside / len(banded) if banded else None,
            share_of(width, .5) if width else None)


def cells(name, numbers):
    rows, median, tail, bias, inside, width = numbers
    held = "" if inside is None else f"{inside:.0f} %"
    bad = ' class="bad"' if inside is not None and inside < 90 else ""
    return (f"<tr><td>{html.escape(name)}<td>{rows}<td>{median:.1f} %<td>{tail:.1f} %"
            f"<td>{bias:+.1f} %<td{bad}>{held}<td>{'' if width is None else f'x{width:.2f}'}")


def table(first, lines):
    return (f"<table><thead><tr><th>{first}<th>rows<th>median error<th>90th percentile<th>bias"
            "<th>in band<th>band</thead><tbody>" + "\n".join(lines) + "</tbody></table>")


def groups(rows, key):
    of = collections.defaultdict(list)
    for row in rows:
        name = key(row)
        if name:
            of[name].append(row)
    return [(name, of[name]) for name in sorted(of) if len(of[name]) >= LEAST]


def peers(rows):
    """Another planner's rows, and ours on the same."""
    lines = []
    for name, those in groups(rows, lambda r: r["peer_name"]):
        theirs = [dict(r, planned=r["peer"], low="", high="") for r in those]
        lines += [cells(f"gpuplan, the same {len(those)} rows", score(those)),
                  cells(name, score(theirs))]
    return table("beside others", lines) if lines else ""


def page(version, rows):
    sets = groups(rows, lambda r: f'{r["set"]}: {r["what"]}')
    out = ["<!doctype html><html lang=en><meta charset=utf-8>",
           f"<title>gpuplan {html.escape(version)}: accuracy</title><style>{STYLE}</style>",
           f"<h1>How true gpuplan {html.escape(version)} is</h1>",
           "<p>Plans beside what others measured and logged. In band: the measured value lies in "
           "the printed band, nine of ten should. Left out: with constants that no row like it "
           "shaped.", table("set", [cells(name, score(those)) for name, those in sets])]
    for name, those in sets:
        out.append(f"<details><summary><b>{html.escape(name)}</b></summary>" + peers(those))
        for words, key in (("engine and version", lambda r: f'{r["engine"]} {r["version"]}'.strip()),
                           ("GPU", lambda r: r["gpu"]), ("format", lambda r: r["format"]),
                           ("users", users_of)):
            lines = [cells(group, score(part)) for group, part in groups(those, key)]
            out.append(table(words, lines) if lines else "")
        out.append("</details>")
    return "\n".join(out) + "\n</html>\n"


def main():
    with open(sys.argv[2], newline="", encoding="utf-8") as file:
        rows = [dict(zip(COLUMNS, row)) for row in csv.reader(file)]
    sys.stdout.write(page(sys.argv[1], rows))


main()
