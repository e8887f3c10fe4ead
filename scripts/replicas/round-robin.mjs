// A load balancer as small as one can be: requests go to the replicas in turn. One that nobody answered is passed on to the next
// only where no connection could be made; once anything was sent, a lost answer is an error of the client's, as with nginx.
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";

/** Hop by hop: they speak of a connection, not of a request. */
const OWN_HEADERS = ["connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"];

export async function startRoundRobin(urls) {
  const agent = new Agent({ keepAlive: true });
  const targets = urls.map((url) => new URL(url));
  let turn = 0;
  let pinned;
  const next = () => pinned ?? turn++ % targets.length;

  const server = createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on("error", () => {});
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => forward(incoming, Buffer.concat(chunks), outgoing, next(), targets.length));
  });

  function forward(incoming, body, outgoing, index, attempts) {
    const target = targets[index];
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !OWN_HEADERS.includes(name)),
    );
    let connected = false;
    const passed = request({
      agent,
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, host: target.host, "content-length": body.length },
    });
    passed.on("socket", (socket) => {
      // A kept connection may have been taken: then it is too late to say that nothing was sent.
      if (!socket.connecting) connected = true;
      else
        socket.once("connect", () => {
          connected = true;
        });
    });
    passed.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      // An answer that ends in the middle must not look whole.
      answer.on("error", () => outgoing.destroy());
      answer.on("aborted", () => outgoing.destroy());
    });
    passed.on("error", () => {
      if (outgoing.destroyed) return;
      if (!connected && attempts > 1) {
        return forward(incoming, body, outgoing, (index + 1) % targets.length, attempts - 1);
      }
      if (outgoing.headersSent) return void outgoing.destroy();
      outgoing.writeHead(502, { "content-type": "text/plain" });
      outgoing.end("the replica did not answer");
    });
    outgoing.on("close", () => passed.destroy());
    passed.end(body);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** From now on everything goes to one of them; without a number, to all in turn again. */
    pin(index) {
      pinned = index;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
