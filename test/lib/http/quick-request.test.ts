import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { QuickRequest } from "../../../src/lib/http/quick-request.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server whose requests are quick ones. */
async function listen(handle: (req: QuickRequest, res: ServerResponse) => void): Promise<number> {
  const server = createServer({ IncomingMessage: QuickRequest }, handle as never);
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** Answers with what came, by way of a taker. */
function echo(req: QuickRequest, res: ServerResponse): void {
  const parts: Buffer[] = [];
  const taken = req.takeBody({
    chunk: (part) => void parts.push(part),
    end: (over) => res.end(Buffer.concat(parts), () => over()),
    gone: () => {},
  });
  if (!taken) res.end("not taken");
}

/** Posts over a raw connection and gives what comes back once every request is answered. */
async function raw(port: number, ...pieces: string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  ends.push(() => socket.destroy());
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const sent = (pieces.join("").match(/(POST|GET) \/ /g) ?? []).length;
  // A half-closed connection aborts what the server still works on.
  await expect.poll(() => text.split("HTTP/1.1 ").length - 1, { timeout: 20_000 }).toBe(sent);
  socket.end();
  await once(socket, "close");
  return text;
}

const post = (body: string, headers = "") =>
  `POST / HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

describe("the body", () => {
  it("goes to its taker whole, in however many pieces it comes, and the connection goes on", async () => {
    const port = await listen(echo);
    const [head, tail] = [post("hello").slice(0, -3), post("hello").slice(-3)];
    const text = await raw(port, head, tail, post("again"));
    expect(text.match(/hello|again/g)).toEqual(["hello", "again"]);
  });

  it("of requests that come before the ones before them are answered is kept apart", async () => {
    const port = await listen(echo);
    const text = await raw(port, post("one") + post("two") + post("three"));
    expect(text.match(/one|two|three/g)).toEqual(["one", "two", "three"]);
  });

  it("may be nothing", async () => {
    const port = await listen(echo);
    expect(await raw(port, post(""))).toContain("HTTP/1.1 200");
  });

  it("is a stream for whoever takes none, or too late", async () => {
    const port = await listen(async (req, res) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const isTaken = req.takeBody({ chunk() {}, end() {}, gone() {} });
      let text = "";
      for await (const chunk of req.setEncoding("utf8")) text += chunk;
      res.end(`${isTaken} ${text}`);
    });
    expect(await raw(port, post("hello"))).toContain("false hello");
  });

  it("that breaks off is told once, as that", async () => {
    const told: string[] = [];
    const port = await listen((req) => {
      req.takeBody({
        chunk: () => void told.push("chunk"),
        end: () => void told.push("end"),
        gone: () => void told.push("gone"),
      });
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhal");
    await expect.poll(() => told).toEqual(["chunk"]);
    socket.destroy();
    await expect.poll(() => told).toEqual(["chunk", "gone"]);
  });

  it("leaves a request that ends and closes for Node, once it is answered", async () => {
    const events: string[] = [];
    const port = await listen((req, res) => {
      for (const name of ["end", "close"]) req.on(name, () => events.push(name));
      echo(req, res);
    });
    const agent = new Agent({ keepAlive: true });
    ends.push(() => agent.destroy());
    for (let count = 1; count <= 3; count++) {
      const sending = request({ port, agent, method: "POST" });
      sending.end("hello");
      const [response] = (await once(sending, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      await expect.poll(() => events).toEqual(Array(count).fill(["end", "close"]).flat());
    }
  });
});

describe("the headers", () => {
  /** What Node itself reads, beside what a quick request has. */
  async function both(...requests: string[]): Promise<{ node: unknown[]; direct: unknown[] }> {
    const seen = (into: unknown[]) => (req: IncomingMessage, res: ServerResponse) => {
      into.push(req.headers, req.headers);
      req.resume();
      res.end();
    };
    const direct: unknown[] = [];
    const node: unknown[] = [];
    await raw(await listen(seen(direct)), ...requests);
    const plain = createServer(seen(node));
    ends.push(() => plain.close());
    await once(plain.listen(0, "127.0.0.1"), "listening");
    await raw((plain.address() as AddressInfo).port, ...requests);
    return { node, direct };
  }

  it("are those that Node reads, whatever came before over the connection", async () => {
    const { node, direct } = await both(
      post("a", "Authorization: one\r\n"),
      post("abc", "Authorization: one\r\n"),
      post("a", "Authorization: two\r\n"),
      post("a", "authorization: two\r\n"),
      post("abcdef", "authorization: two\r\nX-More: 1\r\nX-More: 2\r\nCookie: a=1\r\nCookie: b=2\r\n"),
      post("a", "authorization: two\r\nX-More: 1\r\nX-More: 2\r\nCookie: a=1\r\nCookie: b=2\r\n"),
      post("a", "authorization: two\r\nX-More: 1\r\nX-More: 3\r\nCookie: a=1\r\nCookie: b=2\r\n"),
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: b\r\n\r\n",
      post("ab"),
    );
    expect(node).toHaveLength(20);
    expect(direct).toEqual(node);
  });

  it("that somebody changes are no other request's", async () => {
    const seen: unknown[] = [];
    const port = await listen((req, res) => {
      seen.push(req.headers.authorization);
      req.headers.authorization = "changed";
      req.resume();
      res.end();
    });
    const one = post("a", "Authorization: one\r\n");
    await raw(port, one, one, one);
    expect(seen).toEqual(["one", "one", "one"]);
  });
});
