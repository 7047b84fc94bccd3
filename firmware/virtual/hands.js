// What hands do: drag and click cards, press buttons, with mouse, finger or keys.

const SLOP_PX = 6; // a pointer that moves less clicks

export function listen(act) {
  drags(act);
  buttons(act);
  keys(act);
}

// Where a click takes a card: from a hand to the own pad, from a pad back to the hand.
function across(at) {
  if (at.startsWith("hand-")) return at.replace("hand-", "pad-");
  if (at.startsWith("pad-")) return at.replace("pad-", "hand-");
  return null;
}

export function move(act, button, to) {
  const card = button.dataset.card, at = button.dataset.at;
  if (!to) return;
  if (card === "ticket" && !to.startsWith("pad-")) to = "aside";
  const hiding = at.startsWith("hand-") && to.startsWith("pad-") && act.hidden[at.slice(5)];
  if (to !== at) act.send({ do: "move", card, to, face_down: hiding });
}

function toggle(act, button) {
  if (button.dataset.card === "ticket") move(act, button, button.dataset.at === "aside" ? "pad-yay" : "aside");
  else move(act, button, button.dataset.home ? `hand-${button.dataset.home}` : across(button.dataset.at));
}

function drags(act) {
  let drag = null, dragged = false;

  document.addEventListener("pointerdown", (event) => {
    const source = event.target.closest?.(".card, #pile, #discard");
    dragged = false;
    if (!source?.firstElementChild || event.button !== 0 || drag) return;
    const box = source.firstElementChild.getBoundingClientRect();
    drag = { source, id: event.pointerId, x: event.clientX, y: event.clientY, dx: event.clientX - box.left, dy: event.clientY - box.top, ghost: null };
  });

  document.addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.id) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLOP_PX) return;
      drag.ghost = document.createElement("div");
      drag.ghost.className = "ghost held";
      drag.ghost.append(drag.source.firstElementChild.cloneNode(true));
      drag.source.classList.add("away");
      document.body.append(drag.ghost);
    }
    dragged = true;
    drag.ghost.style.left = `${event.clientX - drag.dx}px`;
    drag.ghost.style.top = `${event.clientY - drag.dy}px`;
    const over = placeAt(event);
    for (const place of document.querySelectorAll("[data-place]")) place.classList.toggle("over", place === over);
  });

  const end = (event) => {
    if (event.pointerId !== drag?.id) return;
    const { source, ghost } = drag;
    drag = null;
    if (!ghost) return;
    ghost.remove();
    source.classList.remove("away");
    for (const place of document.querySelectorAll(".over")) place.classList.remove("over");
    if (event.type === "pointerup") drop(source, placeAt(event)?.dataset.place);
  };
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);

  function drop(source, to) {
    if (!to) return;
    if (source.id === "pile") {
      if (to !== "pile") act.send({ do: "draw", to });
    } else if (source.id === "discard") {
      if (to !== "discard") act.send({ do: "move", card: source.dataset.top, to, face_down: false });
    } else move(act, source, to);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".card");
    if (button && !dragged) toggle(act, button);
    if (dragged) event.stopPropagation(); // what was dragged was not clicked
    dragged = false;
  }, true);
}

function placeAt(event) {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-place]") ?? null;
}

// ---- the two buttons: down when a finger goes down on them, up when the last finger leaves --------

const KEYS = { a: "yay", l: "wow" };
const down = new Map(); // finger (pointer or key) -> button

function buttons(act) {
  for (const button of document.querySelectorAll("[data-button]")) {
    const name = button.dataset.button;
    button.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      try {
        button.setPointerCapture(event.pointerId);
      } catch { /* the finger has left already */ }
      press(act, `pointer ${event.pointerId}`, name, event.timeStamp);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      button.addEventListener(end, (event) => release(act, `pointer ${event.pointerId}`, event.timeStamp));
    button.addEventListener("contextmenu", (event) => event.preventDefault());
  }
  // one mouse has one finger: this holds both buttons as long as the menu asks for
  document.getElementById("both").onclick = () => {
    for (const name of ["yay", "wow"]) press(act, `both ${name}`, name, performance.now());
    setTimeout(() => { for (const name of ["yay", "wow"]) release(act, `both ${name}`, performance.now()); }, 2300);
  };
  addEventListener("blur", (event) => { for (const finger of [...down.keys()]) release(act, finger, event.timeStamp); });
}

// `at`: when, in milliseconds since the page was opened; the table may have had no time to look then.
function press(act, finger, name, at) {
  if (down.has(finger)) return;
  const already = [...down.values()].includes(name);
  down.set(finger, name);
  document.querySelector(`[data-button="${name}"]`).classList.add("down");
  if (!already) act.send({ do: "press", button: name, at });
}

function release(act, finger, at) {
  const name = down.get(finger);
  if (!down.delete(finger) || [...down.values()].includes(name)) return;
  document.querySelector(`[data-button="${name}"]`).classList.remove("down");
  act.send({ do: "release", button: name, at });
}

// ---- keys -----------------------------------------------------------------------------------------

function keys(act) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("form")) return;
    const key = letterOf(event), focused = document.activeElement;
    const player = KEYS[key] ?? (isPush(event) ? focused.dataset.button : undefined);
    if (player) {
      event.preventDefault();
      if (!event.repeat) press(act, fingerOf(event), player, event.timeStamp);
    } else if (event.repeat) return;
    else if (key === "d") document.getElementById("deal").click();
    else if (key === "s") act.sweep();
    else if (key === "g") act.gather();
    else if (key === "x" && focused.dataset.card) move(act, focused, "discard");
    else if ((key === "arrowleft" || key === "arrowright") && focused.dataset.card) {
      event.preventDefault();
      (key === "arrowleft" ? focused.previousElementSibling : focused.nextElementSibling)?.focus();
    }
  });
  document.addEventListener("keyup", (event) => release(act, fingerOf(event), event.timeStamp));
}

// What a key says; the letter of its place where it says none of the Latin script, as on a Greek or Arabic keyboard.
function letterOf({ key, code }) {
  const place = /^Key([A-Z])$/.exec(code);
  return (place && !/^\p{Script=Latin}$/u.test(key) ? place[1] : key).toLowerCase();
}

function fingerOf({ key, code }) { // keyboards on a screen have no places
  return `key ${code || key.toLowerCase()}`;
}

function isPush(event) {
  return Boolean(document.activeElement.dataset.button) && (event.key === " " || event.key === "Enter");
}
