// `npm run test:replicas [-- --calls N --rounds N --seconds N]`: two daemons on one PostgreSQL. How soon one knows what the other
// was told; one of them killed with -9 under load, where every call must end at its client and none may run twice; and what two do
// against one.
import { randomUUID } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine, median } from "../bench/support/measure.mjs";
import { spawnNode } from "./bench/spawned.mjs";
import { connect } from "./bench/wire.mjs";
import { ensurePostgres } from "./postgres.mjs";
import { startPostgres } from "./postgres-server.mjs";
import { startReplicas, TOOL } from "./replicas/daemons.mjs";
import { measureFollowing } from "./replicas/following.mjs";
import { startRoundRobin } from "./replicas/round-robin.mjs";
import { run } from "./run.mjs";

const CONCURRENCY = 32;
/** Two daemons, their servers, the database and the load need this many to run side by side. */
const CORES_TO_SPARE = 6;
const TARGET = 1.5;

await main(readOptions());

async function main({ calls, rounds, seconds }) {
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const found = ensurePostgres();
  if ("missing" in found) {
    console.error(`This needs a PostgreSQL: ${found.missing}.`);
    process.exit(1);
  }
  const database = await startPostgres(found.bindir);
  try {
    const replicas = await startReplicas(database.url, 2);
    try {
      console.log(`${machine()}; load average ${loadavg()[0].toFixed(1)} before the start\n`);
      const follows = await measureFollowing(replicas);
      const ratio = await measureThroughput(replicas, rounds, seconds);
      const isWhole = await killUnderLoad(replicas, calls);
      process.exitCode = follows && isWhole && isFastEnough(ratio) ? 0 : 1;
    } finally {
      await replicas.stop();
    }
  } finally {
    await database.stop();
  }
}

/** Interleaved, so that what else the machine does weighs on both alike. */
async function measureThroughput({ daemons, token }, rounds, seconds) {
  const urls = daemons.map(({ url }) => url);
  await callsASecond([urls[0]], token, 1);
  await callsASecond([urls[1]], token, 1);
  const ratios = [];
  console.log("round   calls/s of one   of two   ratio");
  for (let round = 1; round <= rounds; round++) {
    const one = await callsASecond([urls[round % 2]], token, seconds);
    const two = await callsASecond(urls, token, seconds);
    ratios.push(two / one);
    console.log(
      `${round}       ${one.toFixed(0).padStart(6)}           ${two.toFixed(0).padStart(6)}   ${(two / one).toFixed(2)}`,
    );
  }
  return median(ratios);
}

/** Two processes make the load, whoever it is for: one alone might be what is measured. */
async function callsASecond(urls, token, seconds) {
  const script = fileURLToPath(new URL("replicas/generator.mjs", import.meta.url));
  const args = [script, String(seconds), String(CONCURRENCY / 2), token, ...urls];
  const generators = [spawnNode(args), spawnNode(args)];
  const answered = await Promise.all(generators.map((generator) => generator.firstLine()));
  await Promise.all(generators.map((generator) => generator.stop()));
  return answered.reduce((sum, count) => sum + Number(count), 0) / seconds;
}

async function killUnderLoad({ daemons, token, receipts }, calls) {
  const balancer = await startRoundRobin(daemons.map(({ origin }) => origin));
  const client = await connect({ dialect: "modern", url: `${balancer.url}/mcp`, token });
  const answered = new Set();
  const failed = new Set();
  let begun = 0;
  const work = async () => {
    while (begun < calls) {
      if (++begun === Math.floor(calls / 3)) process.kill(daemons[0].pid, "SIGKILL");
      const nonce = randomUUID();
      const params = JSON.stringify({ name: TOOL, arguments: { nonce } });
      await client.request("tools/call", params, TOOL).then(
        (result) => (result.isError ? failed : answered).add(nonce),
        () => failed.add(nonce),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  await client.close();
  await balancer.close();

  const noted = await receipts();
  const isOurs = (nonce) => answered.has(nonce) || failed.has(nonce);
  const ran = noted.filter(isOurs);
  const twice = ran.length - new Set(ran).size;
  const unanswered = calls - answered.size - failed.size;
  const ranSet = new Set(ran);
  const invented = [...answered].filter((nonce) => !ranSet.has(nonce)).length;
  console.log(
    `\n${calls} calls, ${CONCURRENCY} at a time, one of two daemons killed with -9 after a third of them`,
  );
  console.log(`answered                              ${answered.size}`);
  console.log(
    `ended in an error at the client       ${failed.size} (${[...failed].filter((nonce) => ranSet.has(nonce)).length} of them had run)`,
  );
  console.log(`without an end at the client          ${unanswered}`);
  console.log(`run twice                             ${twice}`);
  console.log(`answered without having run           ${invented}`);
  // Only what was under way on the one that died may fail, and what the balancer sent over a kept connection to it before it knew: it
  // keeps as many as there were calls at once.
  return unanswered === 0 && twice === 0 && invented === 0 && failed.size <= 2 * CONCURRENCY;
}

function isFastEnough(ratio) {
  const cores = availableParallelism();
  const toSpare = cores >= CORES_TO_SPARE;
  const verdict = toSpare
    ? ratio >= TARGET
      ? "reached"
      : "missed"
    : `not judged: ${cores} cores are not enough for two daemons, their servers, the database and the load at once`;
  console.log(
    `\ntwo daemons against one: ${ratio.toFixed(2)}x in the median (${TARGET}x with cores to spare: ${verdict})`,
  );
  return !toSpare || ratio >= TARGET;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      calls: { type: "string", default: "3000" },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "3" },
    },
  });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
}
