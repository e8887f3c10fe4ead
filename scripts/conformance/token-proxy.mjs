// The suite cannot be given a token. This stands before the gateway on the loopback and adds one; everything else
// passes as it came, `Host` and `Origin` included.
import { once } from "node:events";
import { createServer, request as send } from "node:http";

/** Forwards every request to `target` with the token; `stop()` ends it. */
export async function startTokenProxy(target, token) {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const headers = [...incoming.rawHeaders, "authorization", `Bearer ${token}`];
    const options = { hostname, port, path: pathname, method: incoming.method, headers, setHost: false };
    const forwarded = send(options, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, stop };
}
