// `npm run fuzz [-- --requests N --seed S]`: requests that nobody should send, against a real daemon. The seed is printed; the same one
// makes the same requests again.
import { randomInt } from "node:crypto";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { run, runTool } from "./run.mjs";

const { values } = parseArgs({
  options: { requests: { type: "string", default: "20000" }, seed: { type: "string" } },
});
const seed = values.seed ?? String(randomInt(2 ** 31));
console.log(`${values.requests} requests, seed ${seed}`);

chdir(fileURLToPath(new URL("..", import.meta.url)));
process.env.TOOLKEEP_FUZZ_REQUESTS = values.requests;
process.env.TOOLKEEP_FUZZ_SEED = seed;
run(process.execPath, ["scripts/build.mjs"]);
runTool("vitest/vitest.mjs", ["run", "test/e2e/fuzz.test.ts"]);
