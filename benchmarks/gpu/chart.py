#===- chart.py - Curves against token counts, as a picture ----*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Writes SVG: panels side by side with common axes, token counts on a
# logarithmic one, and a line at 1. Colors follow what the reader prefers, light or dark; the
# background is drawn, so that the text is readable on any page.
#
#===------------------------------------------------------------------------===#

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 460, 240  # of a panel's axes
LEFT, TOP, BETWEEN, BELOW = 64, 92, 84, 84
STYLE = """\
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; \
font-size: 12px; fill: #1f2733; }
.title { font-size: 14px; font-weight: bold; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.page { fill: #ffffff; }
.grid { stroke: #dde3ea; }
.one { stroke: #3d4757; stroke-width: 1.5; }
.curve { fill: none; stroke-width: 2; }
.c0 { stroke: #1f6fb2; } .c1 { stroke: #c4541a; stroke-dasharray: 6 3; }
.m0 { fill: #1f6fb2; } .m1 { fill: #c4541a; }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ee; }
.page { fill: #14181f; }
.grid { stroke: #333b47; }
.one { stroke: #b4bdc9; }
.c0 { stroke: #6db3f2; } .c1 { stroke: #f2925c; }
.m0 { fill: #6db3f2; } .m1 { fill: #f2925c; }
}"""


def coordinate(value):
    return ("%.1f" % value).rstrip("0").rstrip(".")


def text(x, y, content, kind="", more=""):
    return '<text%s x="%s" y="%s"%s>%s</text>' % (
        ' class="%s"' % kind if kind else "", coordinate(x), coordinate(y),
        more, escape(content))


def line(kind, x1, y1, x2, y2):
    return '<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>' % (
        (kind,) + tuple(map(coordinate, (x1, y1, x2, y2))))


def marker(number, x, y, content=None):
    """A disc or a square; `content` shows where a reader points at it."""
    hint = "<title>%s</title>" % escape(content) if content else ""
    if number == 0:
        return '<circle class="m0" cx="%s" cy="%s" r="3.5">%s</circle>' % (
            coordinate(x), coordinate(y), hint)
    return '<rect class="m%d" x="%s" y="%s" width="7" height="7">%s</rect>' % (
        number, coordinate(x - 3.5), coordinate(y - 3.5), hint)


class Axes:
    """Where values lie in a panel whose upper left corner is (0, 0)."""

    def __init__(self, panels):
        points = [point for _, curves in panels for _, curve in curves
                  for point in curve]
        self.ticks = sorted({x for x, _ in points})
        self.first = math.log2(self.ticks[0])
        self.octaves = max(1.0, math.log2(self.ticks[-1]) - self.first)
        # In steps of 0.1, with 1 among them.
        values = [y for _, y in points] + [1.0]
        self.low = math.floor(min(values) * 10 - 1e-9)
        self.high = max(math.ceil(max(values) * 10 + 1e-9), self.low + 2)

    def x(self, tokens):
        return WIDTH * (math.log2(tokens) - self.first) / self.octaves

    def y(self, value):
        return HEIGHT * (self.high - value * 10) / (self.high - self.low)


def panel(axes, title, curves):
    lines = [text(WIDTH / 2, -12, title, "title middle")]
    for step in range(axes.low, axes.high + 1):
        y = axes.y(step / 10)
        lines += [line("grid", 0, y, WIDTH, y),
                  text(-8, y + 4, "%.1f" % (step / 10), "end")]
    free = math.inf
    for tokens in reversed(axes.ticks):
        x = axes.x(tokens)
        lines.append(line("grid", x, 0, x, HEIGHT))
        # Labels do not touch.
        half = 3.7 * len(str(tokens)) + 2
        if x + half < free:
            lines.append(text(x, HEIGHT + 18, str(tokens), "middle"))
            free = x - half
    lines.append(line("one", 0, axes.y(1), WIDTH, axes.y(1)))
    for number, (name, curve) in enumerate(curves):
        points = [(axes.x(x), axes.y(y)) for x, y in curve]
        lines.append('<polyline class="curve c%d" points="%s"/>' % (
            number, " ".join("%s,%s" % tuple(map(coordinate, point))
                             for point in points)))
        lines += [marker(number, *point, "%s, T = %d: %.2f" % (name, x, y))
                  for point, (x, y) in zip(points, curve)]
    return lines


def draw(heading, x_label, y_label, panels):
    """`panels` are (title, [(name, [(x, y)])]), two curves in each at most,
    with the same names. Returns SVG."""
    axes = Axes(panels)
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    width = LEFT + columns * (WIDTH + BETWEEN) - BETWEEN // 2
    height = TOP + rows * (HEIGHT + BELOW)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
             'viewBox="0 0 %d %d">' % (width, height, width, height),
             "<title>%s</title>" % escape(heading),
             "<style>", STYLE, "</style>",
             '<rect class="page" width="%d" height="%d"/>' % (width, height),
             text(LEFT, 26, heading, "title")]
    x = LEFT
    for number, (name, _) in enumerate(panels[0][1]):
        lines += ['<line class="curve c%d" x1="%d" y1="42" x2="%d" y2="42"/>'
                  % (number, x, x + 28), marker(number, x + 14, 42),
                  text(x + 36, 46, name)]
        x += 60 + 8 * len(name)
    for i, (title, curves) in enumerate(panels):
        lines.append('<g transform="translate(%d %d)">' % (
            LEFT + i % columns * (WIDTH + BETWEEN),
            TOP + i // columns * (HEIGHT + BELOW)))
        lines += panel(axes, title, curves)
        lines += [text(WIDTH / 2, HEIGHT + 38, x_label, "middle"),
                  text(0, 0, y_label, "middle",
                       ' transform="translate(-42 %d) rotate(-90)"'
                       % (HEIGHT / 2)), "</g>"]
    return "\n".join(lines + ["</svg>"]) + "\n"
