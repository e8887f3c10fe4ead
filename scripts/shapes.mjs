// `npm run shapes [-- --at REVISION]`: how often the type of each field of the API is declared where shapes are declared: contracts, answers,
// records, tables and the schemas of routes. Fields are taken from the pinned API (test/pins/api.txt). A field of one name in two nouns counts for both.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const at = process.argv[process.argv.indexOf("--at") + 1];
const revision = process.argv.includes("--at") ? at : undefined;

/** `readonly name?: …`, `name: z.…`, `name: s.…`, `name: schema.…`, `name: { type: … }`, `name: "text?"`. */
const DECLARATION =
  /^\s*(?:readonly (\w+)\??:|(\w+): (?:z\b|s\.|schema\.|\{ (?:\.\.\.s\.|\.\.\.schema\.|type:|enum:|const:)|"(?:text|number|flag|json|bytes)\??"))/;
/** In a contract every property is a declaration, whatever shape it has, except in a pick (`name: true`) and in the meta of a shape. */
const PROPERTY = /^\s+(?!(?:id|description): ["`])(?:readonly )?(\w+)\??: (?!true\b)/;
const CONTRACT = /\/(?:contract|[\w-]+-(?:contract|shapes)|records)\.ts$/;

const SHAPES =
  /^src\/(?:surfaces\/api\/(?:contract|answers|routes|schema)|machine\/db\/(?:store|schema|tables\/(?!.*index))|.*\/(?:tables|routes)(?:\.ts$|\/)|.*\/(?:contract|[\w-]+-(?:contract|shapes)|records)\.ts$)/;

const fields = new Set(
  readFileSync("test/pins/api.txt", "utf8")
    .split("\n")
    .flatMap((line) => /^\s+(\w+)\??: /.exec(line)?.[1] ?? []),
);
const counts = new Map([...fields].map((field) => [field, 0]));
for (const [path, text] of sources()) {
  if (!SHAPES.test(path)) continue;
  for (const line of text.split("\n")) {
    const found = (CONTRACT.test(path) ? PROPERTY : DECLARATION).exec(line);
    const name = found?.[1] ?? found?.[2];
    if (name !== undefined && counts.has(name)) counts.set(name, counts.get(name) + 1);
  }
}
const all = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
const mean = all.reduce((sum, [, count]) => sum + count, 0) / all.length;
console.log(`${all.length} fields of the API, declared ${mean.toFixed(2)} times each on average`);
console.log(
  all
    .slice(0, 15)
    .map(([name, count]) => `${count} ${name}`)
    .join(" · "),
);

function sources() {
  const git = (...args) => execFileSync("git", args, { encoding: "utf8", maxBuffer: 1 << 28 });
  const paths = (revision ? git("ls-tree", "-r", "--name-only", revision, "src") : git("ls-files", "src"))
    .split("\n")
    .filter((path) => path.endsWith(".ts"));
  return paths.map((path) => [
    path,
    revision ? git("show", `${revision}:${path}`) : readFileSync(path, "utf8"),
  ]);
}
