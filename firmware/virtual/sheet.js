// Draws the cards of the sheet of rules.

import { face } from "/cards.js";

for (const place of document.querySelectorAll("[data-cards]"))
  place.replaceChildren(...place.dataset.cards.split(" ").map(face));
