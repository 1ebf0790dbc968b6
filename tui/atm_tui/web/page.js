// Keys go to the terminal at once. On a touch screen that would cover half of it with the keyboard: there, a tap brings it.
const waiting = setInterval(() => {
  const input = document.querySelector(".xterm-helper-textarea");
  if (input) {
    clearInterval(waiting);
    if (!matchMedia("(pointer: coarse)").matches) input.focus();
  }
}, 50);
