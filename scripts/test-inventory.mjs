// What the tests of a revision say, so that one can show that a change of them lost nothing.
//   node scripts/test-inventory.mjs                 lists the titles and counts the expectations of each file here
//   node scripts/test-inventory.mjs --at REVISION   the same of a revision
//   node scripts/test-inventory.mjs BASE            lists what BASE has and is missing here; exit code 1 if anything is
// A title, a row of a table or an expectation counts wherever it stands in `test/`, so a test that moved is not missing. One that changed is.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

const TESTS = ["it", "test", "inDeep", "describe", "suiteInDeep"];
const MODIFIERS = ["concurrent", "each", "fails", "for", "only", "runIf", "sequential", "skip", "skipIf"];

const [first, second] = process.argv.slice(2);
if (first === undefined || first === "--at")
  printInventory(second === undefined ? read(".") : readRevision(second));
else process.exitCode = printMissing(readRevision(first), read("."));

function printInventory(files) {
  for (const { file, found } of files) {
    const of = (kind) => found.filter((each) => each.kind === kind);
    console.log(`${file}: ${of("title").length} titles, ${of("expectation").length} expectations`);
    for (const { text } of of("title")) console.log(`  ${text}`);
  }
}

function printMissing(base, now) {
  const left = new Map();
  for (const { kind, text } of now.flatMap(({ found }) => found)) {
    const key = `${kind} ${text}`;
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  let count = 0;
  for (const { file, found } of base)
    for (const { kind, text } of found) {
      const key = `${kind} ${text}`;
      const rest = left.get(key) ?? 0;
      left.set(key, rest - 1);
      if (rest > 0) continue;
      count += 1;
      console.log(`missing ${kind} of ${file}: ${text}`);
    }
  console.log(`${count} missing of ${base.flatMap(({ found }) => found).length}`);
  return count === 0 ? 0 : 1;
}

function readRevision(revision) {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-tests-"));
  try {
    const archive = execFileSync("git", ["archive", revision, "test"], { maxBuffer: 2 ** 30 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each file below `test/` that has tests or expectations. */
function read(root) {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
    .sort()
    .map((file) => ({
      file: `test/${file}`,
      found: inventory(readFileSync(join(root, "test", file), "utf8")),
    }))
    .filter(({ found }) => found.length > 0);
}

/** Titles, rows of tables (under the title that they are for) and expectations, each as it is written. */
function inventory(source) {
  const found = [];
  // However its lines are broken.
  const written = ({ start, end }) => {
    const line = source.slice(start, end).replace(/\s+/g, " ");
    return line.replace(/([([{]) /g, "$1").replace(/,? ?([)\]}])/g, "$1");
  };
  const counted = new Set();
  for (const call of callsIn(parseAst(source, { lang: "ts" }))) {
    const chain = chainOf(call);
    if (isTest(chain)) {
      const [title] = call.arguments;
      const text = title.type === "Literal" ? String(title.value) : written(title);
      found.push({ kind: "title", text });
      for (const row of rowsOf(chain)) found.push({ kind: "row", text: `${text}: ${written(row)}` });
    }
    if (isExpectation(chain) && !counted.has(call)) {
      found.push({ kind: "expectation", text: written(call) });
      // `expect(a)` within `expect(a).toBe(b)` is no other.
      for (const part of chain) counted.add(part);
    }
  }
  return found;
}

/** The outer ones before those within. */
function* callsIn(node) {
  if (node === null || typeof node !== "object") return;
  if (node.type === "CallExpression") yield node;
  for (const part of Object.values(node)) yield* callsIn(part);
}

/** `it.each(table)("title", test)` → that call, `it.each(table)`, `it.each`, `it`. */
function chainOf(call) {
  const chain = [call];
  for (let node = call; node.type === "CallExpression" || node.type === "MemberExpression"; chain.push(node))
    node = node.callee ?? node.object;
  return chain;
}

/** `it("title", () => …)`, `describe.runIf(condition)("title", () => …)`; not a call of a variable that is named so. */
function isTest([call, ...chain]) {
  return (
    TESTS.includes(chain.at(-1).name) &&
    chain.every(({ type, property }) => type !== "MemberExpression" || MODIFIERS.includes(property.name)) &&
    call.arguments.some(({ type }) => type === "ArrowFunctionExpression" || type === "FunctionExpression")
  );
}

function rowsOf(chain) {
  const table = chain.find(({ callee }) => ["each", "for"].includes(callee?.property?.name))?.arguments[0];
  // Also those of `it.each(sampleOf([…], 3))`.
  const rows = table?.type === "CallExpression" ? table.arguments[0] : table;
  const array = rows?.type === "TSAsExpression" ? rows.expression : rows;
  return array?.type === "ArrayExpression" ? array.elements : [];
}

/** `expect(a).toBe(b)`; not `expect.any(String)`, which stands in one. */
function isExpectation(chain) {
  return chain.at(-1).name === "expect" && chain.filter(({ type }) => type === "CallExpression").length > 1;
}
