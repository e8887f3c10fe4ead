// What texts mean, drawn by lot: as many numbers as a real model gives, and none of its time.
import { Meanings } from "../../dist/machine/text/meaning/meanings.js";
import { numbers } from "./many-tools.mjs";

const DIMENSIONS = 384;

export function drawnMeanings() {
  const embedder = {
    model: "drawn",
    dimensions: DIMENSIONS,
    state: { kind: "ready" },
    embed: async (texts) => texts.map(drawn),
    close: async () => {},
  };
  return new Meanings({ isOn: () => true, embedder });
}

/** The same for the same text. */
function drawn(text) {
  let seed = 0;
  for (let at = 0; at < text.length; at++) seed = (Math.imul(seed, 31) + text.charCodeAt(at)) | 0;
  const random = numbers(seed);
  return Int8Array.from({ length: DIMENSIONS }, () => Math.floor(random() * 255) - 127);
}
