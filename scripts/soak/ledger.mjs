import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";

/** What happened, on disk: kept in memory it would look like a leak of the program on trial. */
export class Ledger {
  #callsFile;
  #endsFile;
  #calls;
  #ends;

  constructor(folder) {
    this.#callsFile = join(folder, "ledger-calls");
    this.#endsFile = join(folder, "ledger-ends");
    this.#calls = createWriteStream(this.#callsFile);
    this.#ends = createWriteStream(this.#endsFile);
  }

  call(row) {
    this.#calls.write(`${JSON.stringify(row)}\n`);
  }

  /** That the hub said it ended a call. */
  ended(callId) {
    this.#ends.write(`${callId}\n`);
  }

  async close() {
    for (const stream of [this.#calls, this.#ends]) {
      stream.end();
      await finished(stream);
    }
    const calls = await linesOf(this.#callsFile);
    return { calls: calls.map((line) => JSON.parse(line)), ends: countOf(await linesOf(this.#endsFile)) };
  }
}

export async function linesOf(file) {
  return (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
}

export function countOf(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
