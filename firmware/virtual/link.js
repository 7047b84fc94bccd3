// The connection to the table: opened again whenever it is lost, with the table's token if it asks for one.

const SILENCE_MS = 10000; // the server speaks every 3 s at least
const byId = (id) => document.getElementById(id);

let socket = null, lastHeard = 0, everOpen = false, attempt = 0, waiting = 0, on = null;

// `told` gets each message of the table, as a value; `lost` is called when the connection ends.
export function open(told, lost) {
  on = { told, lost };
  connect();
  // in the background timers hardly run: whoever looks again, or has a network again, does not wait for one
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  addEventListener("hashchange", connect); // somebody put the address with the token into this very window
  byId("ask").onsubmit = (event) => {
    event.preventDefault();
    const given = byId("token").value.trim(), token = new URLSearchParams(given.split("#").pop()).get("token") ?? given;
    const hash = `#token=${encodeURIComponent(token)}`;
    if (hash === location.hash) connect();
    else location.hash = hash;
  };
  setInterval(() => {
    if (socket?.readyState === WebSocket.OPEN && performance.now() - lastHeard > SILENCE_MS) socket.close();
  }, 1000);
}

export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function door() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  return token ? `/table?token=${encodeURIComponent(token)}` : "/table";
}

function again() {
  if (!document.hidden && everOpen && socket.readyState === WebSocket.CLOSED) connect();
}

function connect() {
  clearTimeout(waiting);
  if (socket) {
    socket.onclose = null;
    socket.close();
  }
  let entered = false;
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${door()}`);
  socket.onopen = () => {
    lastHeard = performance.now();
    attempt = 0;
    entered = true;
    document.body.classList.remove("lost");
    byId("ask").hidden = true;
    tell(everOpen ? "back again" : "", 2500);
    everOpen = true;
  };
  socket.onmessage = (message) => {
    lastHeard = performance.now();
    on.told(JSON.parse(message.data));
  };
  socket.onclose = async () => {
    document.body.classList.add("lost");
    tell("connection lost – trying again");
    on.lost();
    waiting = setTimeout(connect, Math.min(300 * 2 ** attempt++, 3000));
    if (!entered) await askWhy(waiting);
  };
}

// A browser does not say why a socket was not opened; the same door says it to a plain request.
async function askWhy(attempted) {
  const answer = await fetch(door()).catch(() => null);
  if (!answer || attempted !== waiting) return;
  if (answer.status === 401) {
    clearTimeout(waiting);
    tell("");
    byId("ask").hidden = false;
    byId("token").focus();
  } else if (answer.status !== 426) tell(await answer.text());
}

let telling = 0;
function tell(words, forMs = 0) {
  clearTimeout(telling);
  byId("link").textContent = words;
  if (forMs) telling = setTimeout(() => { byId("link").textContent = ""; }, forMs);
}
