// What a window remembers while it is open. Some browsers store nothing (site data blocked), and say so by an exception
// at the first touch: then it is remembered until the page is loaded anew.

const here = new Map();

export function kept(name) {
  try {
    return here.get(name) ?? sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  here.set(name, String(value));
  try {
    sessionStorage.setItem(name, value);
  } catch { /* full, or forbidden: it is in `here` */ }
}
