// The faces and the back of the cards, drawn as SVG. A card's name is its rank and a letter: "7b".

const SVG = "http://www.w3.org/2000/svg";

// One colour a rank, and one of four furs: two ranks of a similar colour never share a fur.
const COLOURS = [
  "#c9223a", "#e4572e", "#c98a00", "#7c9a1e", "#2e8b3d", "#00857a",
  "#1b7fc0", "#3f51b5", "#7a3fa0", "#bf358a", "#8a5836", "#3a4750",
];

function node(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function sheet(kind, ...children) {
  return node("svg", { class: `face ${kind}`, viewBox: "0 0 84 118", "aria-hidden": "true" }, ...children);
}

function paper(fill) {
  return node("rect", { x: 0.75, y: 0.75, width: 82.5, height: 116.5, rx: 9, fill, class: "paper" });
}

function text(x, y, size, words, more = {}) {
  return node("text", { x, y, "font-size": size, "text-anchor": "middle", ...more }, words);
}

function corner(rank, letter, colour) {
  return node("g", { fill: colour },
    text(15, 23, rank.length > 1 ? 18 : 21, rank, { class: "index" }), text(15, 35, 11, letter, { class: "letter" }));
}

export function face(card) {
  if (card === "ticket") return ticket();
  const rank = card.slice(0, -1), letter = card.slice(-1);
  const colour = COLOURS[(Number(rank) - 1) % COLOURS.length];
  const head = "M-22-8-19-31-5-22q5-1.5 10 0L19-31 22-8Q26 0 24 8 19 25 0 25-19 25-24 8-26 0-22-8Z";
  const fur = Number(rank) % 4;
  const middle = node("g", { transform: "translate(42 63) scale(1.12)" },
    node("path", { d: head, fill: colour }),
    ...(fur ? [node("path", { d: head, fill: `url(#fur-${fur})` })] : []),
    node("path", { d: "M-31 6l9 2M-31 14l9-1M31 6l-9 2M31 14l-9-1", stroke: colour, "stroke-width": 1.6, "stroke-linecap": "round" }),
    text(0, 15, rank.length > 1 ? 31 : 36, rank, { class: "rank", fill: "#fffaf0" }));
  const far = node("g", { transform: "rotate(180 42 59)" }, corner(rank, letter, colour));
  return sheet("front", paper("#fffaf0"), corner(rank, letter, colour), far, middle);
}

export function back() {
  const motif = node("use", { href: "#tacocat", x: 19, y: 39, width: 46, height: 40 });
  return sheet("back", paper("#fffaf0"),
    node("rect", { x: 5, y: 5, width: 74, height: 108, rx: 6, fill: "#9e2b2f" }),
    node("rect", { x: 5, y: 5, width: 74, height: 108, rx: 6, fill: "url(#back-tile)" }),
    node("circle", { cx: 42, cy: 59, r: 29, fill: "#7d1f25", stroke: "#f6d9a0", "stroke-width": 1.5 }), motif);
}

function ticket() {
  const bars = [12, 16, 18, 24, 27, 33, 35, 40, 46, 48, 53, 59, 62, 66, 71];
  return sheet("ticket", paper("#d9eef2"),
    node("rect", { x: 0.75, y: 16, width: 82.5, height: 20, fill: "#2a6f86" }),
    text(42, 31, 14, "BUS", { fill: "#fff", class: "index" }),
    text(42, 60, 12, "one ride", { fill: "#2a4a55" }),
    ...bars.map((x, i) => node("rect", { x, y: 76, width: 1 + (i % 3), height: 28, fill: "#2a4a55" })));
}

// How a card is called aloud.
export function spoken(card) {
  return card === "ticket" ? "bus ticket" : `${card.slice(0, -1)} ${card.slice(-1)}`;
}

// Hands are held sorted: by rank, then by letter.
export function inOrder(one, other) {
  return (parseInt(one) - parseInt(other)) || one.localeCompare(other);
}
