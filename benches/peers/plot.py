"""Ratios as a drawing (SVG): one line a query, one mark a peer, by logarithm; right of 1 growler is quicker."""

from html import escape

from report import log_scale

COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#999999", "#f0e442", "#000000"]
LEFT, WIDTH, LINE, TOP = 250, 640, 24, 60
LOW, HIGH = 0.1, 1000


def plot(results, ours, title):
    peers = {}
    for result in results:
        for name, side in result["sides"].items():
            if "cpuMin" in side and not name.startswith("growler "):
                peers.setdefault(name, COLOURS[len(peers) % len(COLOURS)])
    rows = [result for result in results if any("cpuMin" in side for side in result["sides"].values())]
    bottom = TOP + LINE * len(rows)
    height = bottom + 40 + 18 * ((len(peers) + 2) // 3)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 40}" height="{height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="22" font-size="15">{escape(title)}</text>']
    for tick in (0.1, 1, 10, 100, 1000):
        x = LEFT + WIDTH * log_scale(tick, LOW, HIGH)
        stroke = "#444" if tick == 1 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 12}" x2="{x:.1f}" y2="{bottom}" stroke="{stroke}"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP - 18}" text-anchor="middle">{tick:g}x</text>')
    for position, result in enumerate(rows):
        parts += line(result, ours, peers, TOP + LINE * position + LINE / 2)
    for position, (name, colour) in enumerate(peers.items()):
        x, y = 20 + 300 * (position % 3), bottom + 24 + 18 * (position // 3)
        parts.append(f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{colour}"/><text x="{x + 12}" y="{y}">{escape(name)}</text>')
    return "\n".join(parts + ["</svg>", ""])


def line(result, ours, peers, y):
    yield f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(result["name"])}</text>'
    yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" stroke="#eee"/>'
    for name, colour in peers.items():
        theirs = result["sides"].get(name, {})
        layout = name.rpartition(" ")[2]
        own = result["sides"].get(f"growler {layout}" if layout not in ("flat", "native") else ours, {})
        if theirs.get("cpuMin") and own.get("cpuMin"):
            ratio = theirs["cpuMin"] / own["cpuMin"]
            x = LEFT + WIDTH * log_scale(ratio, LOW, HIGH)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" fill-opacity="0.85"><title>{escape(name)}: {ratio:.2f}x</title></circle>'
