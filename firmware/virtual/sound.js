// The buzzer, heard in the browser: plays the tones that the buzzer's twin plays.

let context = null, oscillator = null, volume = null, on = false;

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
    if (on && !context) open();
    if (on) context.resume();
    else hear.silence();
    button.textContent = on ? "Sound is on" : "Sound is off";
    button.setAttribute("aria-pressed", on);
  };
}

// hz of the tone that sounds now; 0: silence.
export function hear(hz) {
  if (!on) return;
  const now = context.currentTime;
  if (hz) oscillator.frequency.setValueAtTime(hz, now);
  volume.gain.setTargetAtTime(hz ? 0.05 : 0, now, 0.004);
}

hear.silence = () => volume?.gain.setTargetAtTime(0, context.currentTime, 0.004);
