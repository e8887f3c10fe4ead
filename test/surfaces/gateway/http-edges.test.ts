import { connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { INITIALIZE, type TestGateway, testGateway } from "../../support/test-gateway.ts";

let gateway: TestGateway;
let token: string;
beforeEach(async () => {
  gateway = await testGateway({ agents: { ann: [] }, settings: { max_message_bytes: 100_000 } });
  token = await gateway.token("ann");
});
afterEach(() => gateway[Symbol.asyncDispose]());

/** One connection, written to by hand; `statuses` are those that came so far. */
function open() {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    send: (piece: string) => socket.write(piece),
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    ids: () => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id)),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

function post(body: string, { bearer = token, type = "application/json", method = "POST" } = {}): string {
  return `${head(`Content-Length: ${body.length}\r\n`, { bearer, type, method })}${body}`;
}

function head(more: string, { bearer = token, type = "application/json", method = "POST" } = {}): string {
  const headers = `Host: 127.0.0.1\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: ${type}\r\nAccept: application/json, text/event-stream\r\n`;
  return `${method} /mcp HTTP/1.1\r\n${headers}${more}\r\n`;
}

it("a body may come when it is asked for, in chunks, with a trailer", async () => {
  using connection = open();
  connection.send(head(`Expect: 100-continue\r\nContent-Length: ${INITIALIZE.length}\r\n`));
  await expect.poll(connection.statuses).toEqual([100]);
  connection.send(INITIALIZE);
  await expect.poll(connection.statuses).toEqual([100, 200]);

  const half = INITIALIZE.length >> 1;
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  connection.send(
    head("Transfer-Encoding: chunked\r\nTrailer: X-Last\r\n") + chunk(INITIALIZE.slice(0, half)),
  );
  connection.send(`${chunk(INITIALIZE.slice(half))}0\r\nX-Last: 1\r\n\r\n`);
  await expect.poll(connection.statuses).toEqual([100, 200, 200]);
});

it("what is refused, for its size, its type, its token or its method, leaves the connection to the next", async () => {
  using connection = open();
  const large = `"${"x".repeat(300_000)}"`;
  connection.send(post(INITIALIZE));
  await expect.poll(connection.statuses).toEqual([200]);
  connection.send(post(large) + post(INITIALIZE));
  await expect.poll(connection.statuses).toEqual([200, 413, 200]);
  // Answered before the rest of it came.
  connection.send(head(`Content-Length: ${large.length}\r\n`) + large.slice(0, 150_000));
  await expect.poll(connection.statuses).toEqual([200, 413, 200, 413]);
  connection.send(large.slice(150_000) + post(INITIALIZE));
  await expect.poll(connection.statuses).toEqual([200, 413, 200, 413, 200]);

  using other = open();
  other.send(post(INITIALIZE, { type: "text/plain" }) + post(INITIALIZE));
  other.send(post(INITIALIZE, { bearer: "nonsense" }) + post(""));
  other.send(post("abc", { method: "PUT" }) + post(INITIALIZE));
  await expect.poll(other.statuses).toEqual([415, 200, 401, 400, 405, 200]);
});

it("many that come at once are answered in their order, each to its own token", async () => {
  using connection = open();
  const others = await gateway.token("ann");
  const count = 50;
  const initialize = (id: number) => JSON.stringify({ ...JSON.parse(INITIALIZE), id });
  const sent = Array.from({ length: count }, (_, id) =>
    post(initialize(id), id % 3 === 0 ? { bearer: others } : {}),
  );
  connection.send(sent.join(""));
  await expect.poll(connection.ids).toEqual(Array.from({ length: count }, (_, id) => id));
  expect(connection.statuses()).toEqual(Array(count).fill(200));
});

it.each([
  ["Host", "Host: evil.example"],
  ["Host, the same", "host: 127.0.0.1"],
  ["Authorization", "Authorization: Bearer other"],
  ["Origin", "Origin: http://127.0.0.1\r\nOrigin: http://evil.example"],
  ["Content-Type", "Content-Type: text/plain"],
  ["Content-Length", "Content-Length: 0"],
  ["Mcp-Session-Id", "Mcp-Session-Id: a\r\nmcp-session-id: b"],
])("a request with two headers %s is refused with 400 at /mcp and /rpc", async (_what, twice) => {
  for (const path of ["/mcp", "/rpc"]) {
    using connection = open();
    const request = head(`${twice}\r\nContent-Length: ${INITIALIZE.length}\r\n`) + INITIALIZE;
    connection.send(request.replace("/mcp", path));
    await expect.poll(connection.statuses, { message: path }).toEqual([400]);
  }
});
