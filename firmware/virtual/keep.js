// What a window remembers while it is open. Some browsers keep nothing (site data blocked), and say so by an exception
// at the first touch: then it is remembered until the page is loaded anew.

const here = new Map();

function store() {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

export function kept(name) {
  try {
    return here.get(name) ?? store()?.getItem(name) ?? null;
  } catch {
    return null;
  }
}

export function keep(name, value) {
  here.set(name, String(value));
  try {
    store()?.setItem(name, value);
  } catch { /* full, or forbidden: it is in `here` */ }
}
