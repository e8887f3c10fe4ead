// One of the processes that make load: node generator.mjs SECONDS CONCURRENCY TOKEN URL…; prints how many calls were answered.
import { randomUUID } from "node:crypto";
import { connect } from "../bench/wire.mjs";
import { TOOL } from "./daemons.mjs";

const [seconds, concurrency, token, ...urls] = process.argv.slice(2);
const clients = await Promise.all(urls.map((url) => connect({ dialect: "modern", url, token })));
const ends = performance.now() + Number(seconds) * 1_000;
let answered = 0;
let turn = 0;

const work = async () => {
  while (performance.now() < ends) {
    const client = clients[turn++ % clients.length];
    await client.request(
      "tools/call",
      JSON.stringify({ name: TOOL, arguments: { nonce: randomUUID() } }),
      TOOL,
    );
    answered++;
  }
};
await Promise.all(Array.from({ length: Number(concurrency) }, work));
await Promise.all(clients.map((client) => client.close()));
console.log(answered);
