import { randomUUID } from "node:crypto";

/**
 * Makes `calls` calls, `concurrency` at a time, to the servers in turn. `onEnd` is told of each: its server and nonce, how it ended
 * and how long it took.
 */
export async function load({ hub, servers, calls, concurrency, onEnd }) {
  const caller = hub.identity.operatorCaller("soak");
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const server = servers[next++ % servers.length];
      const nonce = randomUUID();
      const startedAt = performance.now();
      const outcome = await hub.callTool({ name: server.tool, arguments: { nonce }, caller, via: "library" });
      onEnd({ server, nonce, outcome, ms: performance.now() - startedAt });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
