// The virtual table's window: shows what the server says that eyes would see, and sends what hands do.
// It knows no rule of the game. Everything from the server is written as text or drawn, never as markup.

import { back, face, inOrder, spoken } from "/cards.js";
import { listen, move } from "/hands.js";
import { keep, kept } from "/keep.js";
import { open, send } from "/link.js";
import { hear, soundSwitch } from "/sound.js";

const PLAYERS = ["yay", "wow"];
const byId = (id) => document.getElementById(id);
const within = (place, selector) => document.querySelector(`[data-place="${place}"] ${selector}`);
const still = matchMedia("(prefers-reduced-motion: reduce)");

const seen = {}; // the newest of each part: printed, strip, screen, lamps, table, unplugged
const cards = new Map(); // name -> button, for every card that lies open to a hand: in a hand, on a pad, aside
const hidden = Object.fromEntries(PLAYERS.map((player) => [player, kept(`hidden-${player}`) === "yes"]));

// ---- what is heard and said -------------------------------------------------------------------

const faulty = new Set(); // parts that could not be drawn, each told once

function told(news) {
  Object.assign(seen, news);
  for (const part of Object.keys(news)) {
    try {
      draw[part]?.(news[part]);
    } catch (fault) { // the other parts are drawn all the same
      if (!faulty.has(part)) say(`This browser cannot show the table's ${part}: ${fault.message}`);
      faulty.add(part);
    }
  }
}

for (const kind of ["error", "unhandledrejection"])
  addEventListener(kind, (event) => say(`A fault of this page: ${event.message ?? event.reason?.message}`));

let saying = 0;
function say(words) {
  clearTimeout(saying);
  byId("say").textContent = words;
  byId("say").hidden = false;
  saying = setTimeout(() => { byId("say").hidden = true; }, 5000);
}

// ---- what is seen ------------------------------------------------------------------------------

const draw = {
  printed: drawBoard,
  strip: drawStrip,
  screen: drawScreen,
  table: drawTable,
  lamps(lit) {
    for (const button of document.querySelectorAll("[data-button]")) button.classList.toggle("lit", lit.includes(button.dataset.button));
  },
  sounds: hear,
  unplugged(parts) {
    for (const button of document.querySelectorAll("[data-plug]")) button.setAttribute("aria-pressed", parts.includes(button.dataset.plug));
  },
  answers: (answers) => say(answers.at(-1)),
};

function part(name, kind, words = "") {
  const made = document.createElement(name);
  made.className = kind;
  made.textContent = words;
  return made;
}

function drawBoard({ board, arrows, mode, leds }) {
  const signs = { yay: "◀", wow: "▶", both: "◀ ▶" };
  const words = { yay: "arrow to YAY", wow: "arrow to WOW", both: "arrows to both" };
  const letters = [..."TACOCAT"];
  const spaces = board.map((size, i) => {
    const space = part("button", "space");
    space.type = "button";
    space.setAttribute("aria-label", `space ${i + 1}, ${letters[i % 7]}: hand size ${size}, ${words[arrows[i]]}. Click: deal so many`);
    space.append(part("span", "letter", letters[i % 7]), part("span", "size", size), part("span", "arrow", signs[arrows[i]]));
    space.onclick = () => setCount(size);
    return space;
  });
  byId("spaces").style.gridTemplateColumns = leds.map((count) => `${Math.max(1, count)}fr`).join(" ");
  byId("spaces").replaceChildren(part("div", "goal yay", "YAY"), ...spaces, part("div", "goal wow", "WOW"));
  byId("over-pads").checked = mode === "play";
  if (!kept("count")) setCount(board[3]);
}

function drawStrip(colours) {
  const strip = byId("strip"), count = colours.length / 6;
  while (strip.children.length > count) strip.lastChild.remove();
  while (strip.children.length < count) strip.append(document.createElement("i"));
  for (let i = 0; i < count; i++) {
    const led = strip.children[i], rgb = colours.slice(6 * i, 6 * i + 6);
    if (led.dataset.rgb === rgb) continue;
    led.dataset.rgb = rgb;
    const linear = [0, 2, 4].map((at) => parseInt(rgb.slice(at, at + 2), 16));
    // A diode at 5 % looks far brighter than 5 % on a monitor: undo the monitor's gamma.
    const [red, green, blue] = linear.map((value) => Math.round(255 * (value / 255) ** (1 / 2.4)));
    const glow = (Math.max(...linear) / 255) ** 0.5;
    led.style.setProperty("--colour", `rgb(${red} ${green} ${blue})`);
    led.style.setProperty("--glow", glow.toFixed(3));
  }
  countOfLitSpace(colours);
}

let under = -1;

// What a player would do: look which space glows, and deal the number printed on it.
function countOfLitSpace(colours) {
  const { leds, board } = seen.printed ?? {};
  if (!leds) return;
  const light = (first, count) => { // of the dimmest LED: Tacocat lights its whole space
    let least = 255;
    for (let i = first; i < first + count; i++)
      least = Math.min(least, Math.max(...[0, 2, 4].map((at) => parseInt(colours.slice(6 * i + at, 6 * i + at + 2), 16))));
    return count ? least : 0;
  };
  let first = leds[0], brightest = 40, space = -1;
  for (let i = 0; i < board.length; i++) {
    const here = light(first, leds[i + 1]);
    if (here > brightest) [brightest, space] = [here, i];
    first += leds[i + 1];
  }
  if (space < 0 || space === under) return;
  if (under >= 0) setCount(board[space]);
  under = space;
}

function drawScreen({ on, contrast, bits }) {
  const canvas = byId("screen"), ratio = devicePixelRatio || 1;
  const room = canvas.parentElement.clientWidth - 28;
  const dot = Math.max(1, Math.floor(Math.min(room / 128, innerHeight < 760 ? 3 : 4) * ratio)); // device pixels a dot: whole, so that it is crisp
  canvas.width = 128 * dot;
  canvas.height = 64 * dot;
  canvas.style.width = `${(128 * dot) / ratio}px`;
  canvas.style.height = `${(64 * dot) / ratio}px`;
  const pen = canvas.getContext("2d"), bytes = atob(bits);
  canvas.classList.toggle("on", on);
  canvas.dataset.lit = 0;
  if (!on) return;
  const light = 0.5 + (0.5 * contrast) / 255;
  const lit = [];
  for (let at = 0; at < 128 * 64; at++) if (bytes.charCodeAt(at >> 3) & (0x80 >> (at & 7))) lit.push(at);
  canvas.dataset.lit = lit.length;
  const glow = (part) => `rgb(${[205, 232, 255].map((value) => Math.round(value * light * part)).join(" ")})`;
  for (const [colour, size] of [[glow(0.62), dot], [glow(1), dot > 3 ? dot - 1 : dot]]) { // the panel's grid shows between its dots
    pen.fillStyle = colour;
    for (const at of lit) pen.fillRect((at % 128) * dot, Math.floor(at / 128) * dot, size, size);
  }
}

// ---- the cards ---------------------------------------------------------------------------------

let discarded = 0;

function cardButton(name) {
  const button = part("button", "card");
  button.type = "button";
  button.dataset.card = name;
  cards.set(name, button);
  return button;
}

function dress(button, name, place, shown) {
  button.dataset.at = place;
  if (button.dataset.shown !== String(shown)) {
    button.dataset.shown = shown;
    button.replaceChildren(shown ? face(name) : back());
  }
  const [kind, player] = place.split("-");
  const act = kind === "hand" ? "lay it on the pad" : "take it off";
  const where = player ? `${kind === "hand" ? "in the hand" : "on the pad"} of ${player.toUpperCase()}` : "beside the table";
  button.setAttribute("aria-label", `${shown ? spoken(name) : "hidden card"}, ${where}: ${act}`);
}

// A card that is turned is the same one under another name.
function rename(turned) {
  for (const [name, was] of Object.entries(turned)) {
    const button = cards.get(was);
    if (!button || cards.has(name)) continue;
    cards.delete(was);
    button.dataset.card = name;
    cards.set(name, button);
  }
}

// The row of a table that plays: its cards lie face down in places, from the left; each place can be dragged to.
function fillRow({ side, cards: lying, places }) {
  const box = within(`hand-${side}`, ".cards");
  while (box.children.length > places || [...box.children].some((each) => !each.classList.contains("place"))) box.lastChild.remove();
  while (box.children.length < places) {
    const place = part("div", "place");
    place.dataset.place = `row-${box.children.length + 1}`;
    place.append(part("span", "number", box.children.length + 1));
    box.append(place);
  }
  for (const [name, number] of lying) {
    const button = cards.get(name) ?? cardButton(name), place = box.children[number - 1];
    dress(button, name, `hand-${side}`, false);
    button.setAttribute("aria-label", `Tacocat's card in place ${number}: lay it on the pad`);
    if (button.parentElement !== place) place.append(button);
  }
}

function fill(place, names, isShown) {
  const box = place === "aside" ? byId("aside") : within(place, ".cards");
  for (const place of box.querySelectorAll(".place")) place.remove();
  names.forEach((name) => dress(cards.get(name) ?? cardButton(name), name, place, isShown(name)));
  const wanted = names.map((name) => cards.get(name));
  const present = [...box.querySelectorAll(".card")];
  if (wanted.length === present.length && wanted.every((button, i) => button === present[i])) return;
  const focused = document.activeElement;
  wanted.forEach((button) => box.append(button));
  if (focused !== document.activeElement && wanted.includes(focused)) focused.focus({ preventScroll: true });
}

function drawTable(table) {
  const before = new Map([...cards].map(([name, button]) => [name, button.getBoundingClientRect()]));
  const lying = new Set(table.aside);
  rename(table.turned);
  seat(table.row?.side);
  for (const player of PLAYERS) {
    const hand = [...table.hands[player]].sort(inOrder), pad = table.pads[player];
    const up = new Map(pad);
    for (const name of [...hand, ...up.keys()]) lying.add(name);
    if (player === table.row?.side) fillRow(table.row);
    else fill(`hand-${player}`, hand, () => !hidden[player]);
    fill(`pad-${player}`, [...up.keys()], (name) => up.get(name));
    within(`hand-${player}`, ".count").textContent = hand.length || "";
    within(`pad-${player}`, ".about").hidden = !pad.length;
    within(`pad-${player}`, ".cards").classList.toggle("some", pad.length > 0);
  }
  fill("aside", table.aside, () => true);
  const pileBox = table.pileOn ? document.querySelector(`[data-place="pad-${table.pileOn}"]`) : document.querySelector('.pile[data-place="pile"]');
  if (byId("pile").parentElement !== pileBox) pileBox.prepend(byId("pile"));
  pile(byId("pile"), table.pile, table.pile ? back : null, "draw");
  const top = table.discard.at(-1)?.[0];
  pile(byId("discard"), table.discard.length, top ? () => face(top) : null, "discard");
  byId("discard").dataset.top = top ?? "";
  drawSpread(table.discard);
  byId("deal").disabled = table.dealing;
  byId("back").disabled = !table.takeBack;
  byId("back").title = table.takeBack ? `undoes the last ${table.takeBack === "gather" ? "gathering" : table.takeBack}` : "";
  wanted(table.deals);
  const heap = byId(table.discard.length > discarded ? "discard" : "pile");
  discarded = table.discard.length;
  for (const [name, button] of cards) {
    if (!lying.has(name)) {
      fly(button.firstChild, before.get(name), heap.getBoundingClientRect());
      button.remove();
      cards.delete(name);
    } else glide(button, before.get(name) ?? byId("pile").getBoundingClientRect());
  }
}

function pile(slot, count, drawTop, called) {
  byId(`${slot.id}-count`).textContent = count;
  slot.setAttribute("aria-label", `The ${called} pile: ${count} cards`);
  slot.dataset.depth = Math.min(4, Math.ceil(count / 9));
  slot.replaceChildren(...(drawTop ? [drawTop()] : []));
}

// The discard pile lies open: any card of it can be had, by a click back into its hand, or dragged anywhere.
function spread(open) {
  byId("spread").hidden = !open;
  byId("discard").setAttribute("aria-expanded", open);
  if (seen.table) drawSpread(seen.table.discard);
}

function drawSpread(discard) {
  if (!discard.length) byId("spread").hidden = true;
  if (byId("spread").hidden) return;
  const lying = [...discard].reverse(), box = byId("spread-cards");
  if (box.dataset.lying === String(lying)) return;
  box.dataset.lying = lying;
  box.replaceChildren(...lying.map(([name, owner]) => {
    const button = part("button", "card");
    button.type = "button";
    Object.assign(button.dataset, { card: name, at: "discard", home: owner ?? "" });
    button.setAttribute("aria-label", `${spoken(name)}, in the discard pile${owner ? `: back to the hand of ${owner.toUpperCase()}` : ""}`);
    button.append(face(name));
    return button;
  }));
}

function glide(button, from) {
  const to = button.getBoundingClientRect();
  const x = from.left - to.left, y = from.top - to.top;
  if (still.matches || Math.hypot(x, y) < 4 || !from.width) return;
  button.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
}

function fly(picture, from, to) {
  if (still.matches || !from || !picture) return;
  const ghost = part("div", "ghost");
  ghost.append(picture.cloneNode(true));
  ghost.style.left = `${from.left}px`;
  ghost.style.top = `${from.top}px`;
  document.body.append(ghost);
  const move = `translate(${to.left - from.left}px, ${to.top - from.top}px)`;
  ghost.animate([{ transform: "none" }, { transform: move, opacity: 0.6 }], { duration: 220, easing: "ease-in" }).onfinish = () => ghost.remove();
}

// ---- the controls ------------------------------------------------------------------------------

function setCount(count) {
  const within = Math.min(19, Math.max(1, count));
  byId("count").textContent = within;
  keep("count", within);
}

function hide(player, yes) {
  hidden[player] = yes;
  keep(`hidden-${player}`, yes ? "yes" : "no");
  const button = document.querySelector(`[data-hide="${player}"]`);
  button.textContent = yes ? "Show" : "Hide";
  button.setAttribute("aria-pressed", yes);
  if (seen.table) drawTable(seen.table);
}

let tables; // the side that the table plays, if it does

function seat(side) {
  if (side === tables) return;
  tables = side;
  for (const player of PLAYERS) {
    document.querySelector(`[data-hide="${player}"]`).hidden = player === side;
    within(`hand-${player}`, ".who").textContent = player === side ? `${player.toUpperCase()}, Tacocat’s row` : player.toUpperCase();
  }
}

// How many cards each player is to get now: that many are dealt, unless somebody sets another number.
let wish = "";

function wanted(deals) {
  const counts = Object.values(deals), now = JSON.stringify(deals);
  if (now === wish) return;
  wish = now;
  if (counts.length && !seen.table.dealing) setCount(Math.max(...counts));
}

const SURE_MS = 4000;
let unsure = { what: "", until: 0 };

// What is hardly meant is asked for once more. `why`: "" if it surely is meant.
function surely(what, why, act) {
  const sure = !why || (unsure.what === what && performance.now() < unsure.until);
  unsure = { what, until: sure ? 0 : performance.now() + SURE_MS };
  if (sure) act();
  else say(`${why}. Once more, to ${what} all the same.`);
}

function dealOut(players, count) {
  const deals = seen.table?.deals ?? {}, most = Math.max(0, ...players.map((player) => deals[player] ?? 0));
  const each = (player) => (count === most ? deals[player] ?? 0 : count); // who has some of them already gets the rest
  const over_pads = byId("over-pads").checked;
  if (players.every((player) => each(player) === count)) send({ do: "deal", count, players, over_pads });
  else for (const player of players) if (each(player)) send({ do: "deal", count: each(player), players: [player], over_pads });
}

const act = {
  send,
  hidden,
  deal(players = PLAYERS, count = Number(byId("count").textContent)) {
    const drawn = players.length === 1 && seen.table?.deals[players[0]];
    surely("deal", drawn ? "" : seen.table?.noDeal ?? "", () => dealOut(players, count));
  },
  sweep: () => send({ do: "sweep" }),
  gather() { // in the middle of a round it is hardly meant
    const held = seen.table && PLAYERS.some((player) => seen.table.hands[player].length);
    surely("gather", held ? "There are still cards in the hands" : "", () => send({ do: "gather" }));
  },
};

byId("deal").onclick = () => act.deal();
byId("fewer").onclick = () => setCount(Number(byId("count").textContent) - 1);
byId("more").onclick = () => setCount(Number(byId("count").textContent) + 1);
byId("sweep").onclick = act.sweep;
byId("gather").onclick = act.gather;
byId("back").onclick = () => send({ do: "take_back" });
byId("discard").onclick = () => spread(byId("spread").hidden && seen.table?.discard.length > 0);
byId("spread-close").onclick = () => spread(false);
byId("how").onclick = () => {
  byId("help").hidden = !byId("help").hidden;
  byId("how").setAttribute("aria-expanded", !byId("help").hidden);
};
for (const button of document.querySelectorAll("[data-draw]")) button.onclick = () => act.deal([button.dataset.draw], 1);
for (const button of document.querySelectorAll("[data-hide]")) button.onclick = () => hide(button.dataset.hide, !hidden[button.dataset.hide]);
for (const button of document.querySelectorAll("[data-turn]")) button.onclick = () => send({ do: "turn", pad: button.dataset.turn });
for (const button of document.querySelectorAll("[data-home]")) button.onclick = () => {
  const player = button.dataset.home;
  for (const card of document.querySelectorAll(`[data-place="pad-${player}"] [data-card]`)) move(act, card, `hand-${player}`);
};
for (const button of document.querySelectorAll("[data-lay]")) button.onclick = () => send({ do: "lay_pile", pad: button.dataset.lay || null });
for (const button of document.querySelectorAll("[data-plug]"))
  button.onclick = () => send({ do: "plug", part: button.dataset.plug, plugged_in: button.getAttribute("aria-pressed") === "true" });

// The sheet of rules, in the first of the reader's languages that there is.
const spokenHere = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => ["en", "el", "fy", "ca", "ar"].includes(tag));
if (spokenHere) byId("rules").href = `/rules.${spokenHere}`;

if (kept("count")) setCount(Number(kept("count")) || 7);
PLAYERS.forEach((player) => hide(player, hidden[player]));
addEventListener("resize", () => { if (seen.screen) drawScreen(seen.screen); });
soundSwitch(byId("sound"));
listen(act);
open(told, hear.silence);
