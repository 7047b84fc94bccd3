// The buzzer, heard in the browser: plays the tones that the buzzer's twin has sounded.

const BEHIND_S = 0.06; // played so much later, so that what comes late by the net is still in time
const LOUD = 0.05;

let context = null, oscillator = null, volume = null, on = false, offset = 0, lastAt = 0;

function open() {
  context = new AudioContext();
  oscillator = context.createOscillator();
  oscillator.type = "square"; // a passive buzzer on a pin
  volume = context.createGain();
  volume.gain.value = 0;
  oscillator.connect(volume).connect(context.destination);
  oscillator.start();
}

export function soundSwitch(button) {
  button.onclick = () => {
    on = !on;
    try {
      if (on && !context) open();
    } catch {
      on = false;
      context = volume = null;
      button.textContent = "No sound in this browser";
      button.disabled = true;
      return;
    }
    if (on) context.resume();
    else hear.silence();
    button.textContent = on ? "Sound is on" : "Sound is off";
    button.setAttribute("aria-pressed", on);
  };
}

// sounds: [hz, ms of the table's clock], in order: from then on the buzzer sounds so; 0 Hz is silence.
export function hear(sounds) {
  if (!on) return;
  for (const [hz, atMs] of sounds) {
    const now = context.currentTime;
    let at = atMs / 1000 + offset;
    if (at < now || at > now + 1) { // the clocks have drifted, or this is the first tone
      offset = now + BEHIND_S - atMs / 1000;
      at = now + BEHIND_S;
    }
    at = Math.max(at, lastAt);
    lastAt = at;
    if (hz) oscillator.frequency.setValueAtTime(hz, at);
    volume.gain.setValueAtTime(hz ? LOUD : 0, at);
  }
}

hear.silence = () => {
  if (!volume) return;
  volume.gain.cancelScheduledValues(0);
  volume.gain.setValueAtTime(0, context.currentTime);
};
