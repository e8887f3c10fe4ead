// `node scripts/bench/profile.mjs FILE.cpuprofile [--top N]`: where the time of a CPU profile went, by function and by file.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { top: { type: "string", default: "40" } },
});
const [path] = positionals;
if (path === undefined) {
  console.error("Usage: node scripts/bench/profile.mjs FILE.cpuprofile | FOLDER [--top N]");
  process.exit(2);
}

const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(newest(path), "utf8"));
const byId = new Map(nodes.map((node) => [node.id, node]));
const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
const selfUs = new Map();
samples.forEach((id, i) => {
  selfUs.set(id, (selfUs.get(id) ?? 0) + timeDeltas[i]);
});

const self = new Map();
const total = new Map();
for (const [id, micros] of selfUs) {
  add(self, keyOf(byId.get(id)), micros);
  const seen = new Set();
  for (let at = id; at !== undefined; at = parents.get(at)) seen.add(keyOf(byId.get(at)));
  for (const key of seen) add(total, key, micros);
}

const share = (name) => self.get(name) ?? 0;
const idle = share("(idle)");
const native = share("(program)");
const busy = [...self.values()].reduce((sum, us) => sum + us, 0) - idle - native;
const seconds = (micros) => `${(micros / 1_000_000).toFixed(1)} s`;
console.log(
  `JavaScript ${seconds(busy)}, outside of it ${seconds(native)}, idle ${seconds(idle)}; shares are of the first\n`,
);
print("self time", self);
print("with everything called from there", total);

function print(title, map) {
  console.log(title);
  const rows = [...map].filter(([key]) => !/^\((idle|program|root)\)/.test(key)).sort((a, b) => b[1] - a[1]);
  for (const [key, micros] of rows.slice(0, Number(values.top))) {
    console.log(
      `${((micros / busy) * 100).toFixed(1).padStart(6)} %  ${(micros / 1_000).toFixed(0).padStart(6)} ms  ${key}`,
    );
  }
  console.log();
}

function keyOf({ callFrame: { functionName, url, lineNumber } }) {
  const file = url.replace(/^.*\/(node_modules|dist|src)\//, "$1/").replace(/^file:\/\//, "");
  return `${functionName || "(anonymous)"}${file ? `  ${file}:${lineNumber + 1}` : ""}`;
}

function add(map, key, value) {
  map.set(key, (map.get(key) ?? 0) + value);
}

function newest(given) {
  if (!statSync(given).isDirectory()) return given;
  const files = readdirSync(given)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => join(given, name));
  return files.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}
