// As many tools as are wanted: the public catalogue of real ones, then the same again with other words, so that none is a copy. The same every time.
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CATALOGUE = fileURLToPath(new URL("../../../shared/bench/catalog.jsonl", import.meta.url));
const QUERIES = ["livemcpbench-agentq", "mcpzero"].map((set) =>
  fileURLToPath(new URL(`../../../shared/bench/tool-search/${set}/queries.jsonl`, import.meta.url)),
);
/** So many words of a copy are replaced, and so many of those by words that nothing else has. */
const REPLACED = 0.35;
const COINED = 0.02;
const WORD = /[A-Za-z]{3,}/g;
const SERVER_TOOLS = 20;
/** Of the server that changes its list, beside those of a file. */
export const CHANGING_TOOLS = 10;
const GENERATED_QUERIES = 400;

/** Where tools and queries come from, in words. */
export function provenance() {
  return existsSync(CATALOGUE)
    ? "the tools of the public catalogue, then the same with other words"
    : "generated tools, because there is no ../shared/bench/catalog.jsonl beside this repository";
}

/** Servers with `count` tools together, a line each: `{ name, tools: [definitions as servers publish them] }`. */
export function writeServers(file, count) {
  const to = openSync(file, "w");
  for (const server of manyServers(count)) writeSync(to, `${JSON.stringify(server)}\n`);
  closeSync(to);
}

function* manyServers(count) {
  const real = existsSync(CATALOGUE) ? linesOf(CATALOGUE) : generatedServers();
  const random = numbers(20261117);
  const words = wordsIn(real);
  let left = count;
  for (let number = 1; left > 0; number++) {
    const { server, tools } = real[(number - 1) % real.length];
    const taken = tools.slice(0, left);
    left -= taken.length;
    const isCopy = number > real.length;
    yield {
      name: `${server} ${number}`,
      tools: isCopy ? taken.map((tool) => reworded(tool, words, random)) : taken,
    };
  }
}

/** Of all descriptions, as often as they occur. */
export function wordsIn(servers) {
  return servers.flatMap(({ tools }) =>
    tools.flatMap(({ description = "" }) => description.match(WORD) ?? []),
  );
}

/** The same definition with other words in it. */
export function reworded(definition, words, random) {
  const other = (text) =>
    text.replace(WORD, (word) => {
      if (random() > REPLACED) return word;
      return random() < COINED ? coined(random) : words[Math.floor(random() * words.length)];
    });
  const walk = (value, key) => {
    if (typeof value === "string") return key === "description" || key === "title" ? other(value) : value;
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries(value).map(([name, item]) => [
      key === "properties" ? other(name) : name,
      walk(item, name),
    ]);
    return Object.fromEntries(entries);
  };
  return { ...walk(definition), name: other(definition.name) };
}

/** What agents type into a search, or the beginnings of descriptions. */
export function manyQueries(servers) {
  if (QUERIES.every(existsSync)) return QUERIES.flatMap((file) => linesOf(file).map(({ query }) => query));
  const tools = servers.flatMap((server) => server.tools);
  const step = Math.max(1, Math.floor(tools.length / GENERATED_QUERIES));
  return tools
    .filter((_, at) => at % step === 0)
    .map(({ description = "" }) => description.split(/\s+/).slice(0, 8).join(" "));
}

/** From 0 to 1, the same for the same seed (mulberry32). */
export function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SYLLABLES = "ba do fe gi ku la mo ne pi ra so tu va we xi yo zan mer tol".split(" ");

function coined(random) {
  return Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join("");
}

function generatedServers() {
  const random = numbers(7);
  const words = Array.from({ length: 4_000 }, () => coined(random));
  // Few words are used often, most of them seldom.
  const word = () => words[Math.floor(words.length * random() ** 3)];
  const phrase = (length) => Array.from({ length }, word).join(" ");
  return Array.from({ length: 100 }, (_, server) => ({
    server: `server ${server}`,
    tools: Array.from({ length: SERVER_TOOLS }, () => ({
      name: `${word()}_${word()}`,
      description: phrase(25),
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 4 }, () => [word(), { type: "string", description: phrase(8) }]),
        ),
      },
    })),
  }));
}

function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
