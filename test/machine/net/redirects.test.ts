import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Outgoing } from "../../../src/lib/net/connections.ts";
import { FetchRefused } from "../../../src/lib/net/reach.ts";
import { followRedirects } from "../../../src/machine/net/guarded-fetch.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { openFetch, under } from "./open-fetch.ts";

const SECRETS = {
  authorization: "Bearer canary",
  cookie: "canary=1",
  "proxy-authorization": "Basic canary",
  "x-api-key": "canary",
  "mcp-session-id": "canary",
};

describe("a redirect to where nobody may go is refused", () => {
  test.each([
    ["the loopback", (port: string) => `http://127.0.0.1:${port}/`, "127.0.0.1 may not be reached"],
    [
      "the metadata of a cloud",
      () => "http://169.254.169.254/latest/meta-data/",
      "where clouds keep credentials",
    ],
    [
      "a name that leads inside",
      (port: string) => `http://inside.test:${port}/`,
      "inside.test may not be reached",
    ],
    ["localhost", (port: string) => `http://localhost:${port}/`, "localhost may not be reached"],
    ["a file", () => "file:///etc/passwd", "a file: URL is not fetched"],
    ["a URL with a password", () => "http://a:canary@start.test/", "holds a user name or password"],
    ["what is not a URL", () => "http://[", "redirects to what is not a URL"],
  ])("%s", async (_, target, why) => {
    await using inside = await remoteServer((_, response) => response.end());
    await using start = await remoteServer((_, response) =>
      response.writeHead(302, { location: target(new URL(inside.url).port) }).end("moved"),
    );
    await using guarded = openFetch(["start.test"]);
    const refused = guarded.fetch(under("start.test", start.url));
    await expect(refused).rejects.toThrow(FetchRefused);
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.not.toThrow("canary");
    expect(inside.requests).toEqual([]);
  });

  test("from https to http", async () => {
    const sent: string[] = [];
    const refused = followRedirects(outgoing("https://a.test/"), async ({ url }) => {
      sent.push(url.href);
      return { status: 302, headers: new Headers({ location: "http://a.test/" }), body: null };
    });
    await expect(refused).rejects.toThrow("https://a.test redirects to http://a.test, from https to http");
    expect(sent).toEqual(["https://a.test/"]);
  });
});

describe("redirects", () => {
  test("are followed five times and no more", async () => {
    await using server = await remoteServer((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end("moved");
      else response.end("there");
    });
    await using guarded = openFetch(["127.0.0.1"]);
    const response = await guarded.fetch(new URL("/5", server.url));
    expect([response.url, response.redirected, await response.text()]).toEqual([
      new URL("/0", server.url).href,
      true,
      "there",
    ]);
    await expect(guarded.fetch(new URL("/6", server.url))).rejects.toThrow("redirects more than 5 times");
  });

  test("are answers for those who ask for them by hand, and errors for those who want none", async () => {
    await using server = await remoteServer((_, response) =>
      response.writeHead(307, { location: "http://169.254.169.254/" }).end("moved"),
    );
    await using guarded = openFetch(["127.0.0.1"]);
    const response = await guarded.fetch(server.url, { redirect: "manual" });
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      307,
      "http://169.254.169.254/",
      "moved",
    ]);
    await expect(guarded.fetch(server.url, { redirect: "error" })).rejects.toThrow("which was not asked for");
    expect(server.requests).toHaveLength(2);
  });

  test("without a place to go are answers", async () => {
    await using server = await remoteServer((_, response) => response.writeHead(302).end("nowhere"));
    await using guarded = openFetch(["127.0.0.1"]);
    expect(await (await guarded.fetch(server.url)).text()).toBe("nowhere");
  });

  test("end with the signal of the request", async () => {
    const controller = new AbortController();
    await using server = await remoteServer((_, response) => {
      response.writeHead(302, { location: "/again" }).end();
      controller.abort();
    });
    await using guarded = openFetch(["127.0.0.1"]);
    await expect(guarded.fetch(server.url, { signal: controller.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
  ])("of status %i turn %s into %s, with the body or without", async (status, method, becomes) => {
    const seen: [IncomingMessage, string][] = [];
    await using server = await remoteServer(async (request, response) => {
      seen.push([request, await text(request)]);
      if (request.url === "/mcp") response.writeHead(status, { location: "/there" });
      response.end();
    });
    await using guarded = openFetch(["127.0.0.1"]);
    const headers = { "content-type": "application/json", ...SECRETS };
    await guarded.fetch(server.url, { method, body: "{}", headers });

    const [first, second] = seen as [[IncomingMessage, string], [IncomingMessage, string]];
    expect(first[0].headers).toMatchObject(SECRETS);
    expect(second[0].headers).toMatchObject(SECRETS);
    expect(second[0].method).toBe(becomes);
    const keepsBody = becomes === method;
    expect(second[1]).toBe(keepsBody ? "{}" : "");
    expect(second[0].headers["content-type"]).toBe(keepsBody ? "application/json" : undefined);
  });

  test("of a HEAD stay a HEAD", async () => {
    await using server = await remoteServer((request, response) =>
      request.url === "/mcp" ? response.writeHead(303, { location: "/there" }).end() : response.end(),
    );
    await using guarded = openFetch(["127.0.0.1"]);
    await guarded.fetch(server.url, { method: "HEAD" });
    expect(server.requests.map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
  });
});

describe("a redirect to another origin", () => {
  test.each([
    ["another host", "b.test"],
    ["another port of the same host", "a.test"],
  ])("at %s takes no secret along, and gets none back", async (_, host) => {
    await using start = await remoteServer((request, response) =>
      request.url === "/mcp"
        ? response.writeHead(302, { location: under(host, other.url) }).end()
        : response.end("home"),
    );
    await using other = await remoteServer((_, response) =>
      response.writeHead(302, { location: new URL("/home", under("a.test", start.url)).href }).end(),
    );
    await using guarded = openFetch(["a.test", "b.test"]);
    const harmless = { accept: "text/html", "mcp-protocol-version": "2025-11-25", "user-agent": "me" };
    const response = await guarded.fetch(under("a.test", start.url), {
      headers: { ...harmless, ...SECRETS },
    });

    expect(await response.text()).toBe("home");
    expect(start.requests[0]!.headers).toMatchObject(SECRETS);
    for (const { headers } of [other.requests[0]!, start.requests[1]!]) {
      expect(headers).toMatchObject(harmless);
      expect(JSON.stringify(headers)).not.toContain("canary");
    }
  });

  test("is not followed when the body would have to be repeated there", async () => {
    await using other = await remoteServer((_, response) => response.end());
    await using start = await remoteServer((_, response) =>
      response.writeHead(307, { location: under("b.test", other.url) }).end(),
    );
    await using guarded = openFetch(["a.test", "b.test"]);
    const refused = guarded.fetch(under("a.test", start.url), {
      method: "POST",
      body: "client_secret=canary",
    });
    await expect(refused).rejects.toThrow("may hold secrets and is sent nowhere else");
    expect(other.requests).toEqual([]);
  });
});

test("a body that is a stream is not sent again", async () => {
  await using server = await remoteServer((_, response) =>
    response.writeHead(307, { location: "/there" }).end(),
  );
  await using guarded = openFetch(["127.0.0.1"]);
  const body = ReadableStream.from([new TextEncoder().encode("once")]);
  await expect(guarded.fetch(server.url, { method: "POST", body, duplex: "half" })).rejects.toThrow(
    "was a stream and cannot be sent again",
  );
});

function outgoing(url: string): Outgoing {
  return {
    url: new URL(url),
    method: "GET",
    headers: new Headers(),
    body: null,
    signal: null,
    redirect: "follow",
    isIdentified: true,
  };
}
