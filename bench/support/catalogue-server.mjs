// A stdio server that replays the tools of one line of a catalogue: node catalogue-server.mjs FILE OFFSET LENGTH
// No SDK: what is measured is Toolkeep, not how long a stub takes to load.
import { createInterface } from "node:readline";
import { answerTo, readServer } from "./catalogue-answers.mjs";

const [file, offset, length] = process.argv.slice(2);
const replayed = readServer(file, Number(offset), Number(length));

createInterface({ input: process.stdin }).on("line", (line) => {
  const answer = answerTo(replayed, JSON.parse(line));
  if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`);
});
