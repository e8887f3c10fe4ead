import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { textOf } from "../../support/native.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { testWeb, type WebSetup } from "../../support/web-tools.ts";

/** A site at `site.test`, and the web tools that may reach it. */
async function site(listener: RequestListener, setup: WebSetup = {}) {
  const server = await remoteServer(listener);
  const web = testWeb({ ...setup, web: { allowedHosts: ["site.test"], ...setup.web } });
  const origin = `http://site.test:${new URL(server.url).port}`;
  return {
    origin,
    requests: server.requests,
    call: (tool: string, args: Record<string, unknown> = {}, signal?: AbortSignal) =>
      web.call(tool, { url: `${origin}/page`, ...args }, signal),
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function page(body: string | Uint8Array, type = "text/html", status = 200): RequestListener {
  return (_, response) => response.writeHead(status, { "content-type": type }).end(body);
}

describe("browse_url", () => {
  test("gives a page as Markdown, with its title and where it came from", async () => {
    await using it = await site((request, response) => {
      if (request.url === "/page") response.writeHead(302, { location: "/other" }).end();
      else
        page("<title>T</title><nav>menu</nav><main><h1>Hello</h1><p>world".concat("!".repeat(300)))(
          request,
          response,
        );
    });
    const result = await it.call("browse_url");
    expect(textOf(result)).toBe(
      `Title: T\nAddress: ${it.origin}/other\n\n# Hello\n\nworld${"!".repeat(300)}`,
    );
    expect(result).toMatchObject({
      kind: "output",
      structured: { url: `${it.origin}/other`, status: 200, kind: "html", title: "T", cut: false },
    });
    expect(textOf(await it.call("browse_url", { whole_page: true }))).toContain("menu");
  });

  test.each([
    ["plain text", "a <b>\n c", "text/plain", "a <b>\n c"],
    ["JSON", '{"a": 1}', "application/json", '{"a": 1}'],
    ["JSON of a kind", '{"a":1}', "application/ld+json", '{"a":1}'],
    ["Markdown", "# a\n\n<b>", "text/markdown; charset=utf-8", "# a\n\n<b>"],
    ["XML", "<a>1</a>", "application/xml", "<a>1</a>"],
    [
      "text of another charset",
      Buffer.from([0x67, 0x72, 0xfc, 0xdf]),
      "text/plain; charset=iso-8859-1",
      "grüß",
    ],
    ["nothing", "", "text/plain", "(It is empty.)"],
  ])("passes %s on as it is", async (_, body, type, expected) => {
    await using it = await site(page(body, type));
    expect(textOf(await it.call("browse_url"))).toBe(expected);
  });

  test.each([
    [
      "an image",
      Buffer.from("\x89PNG\r\n\x1a\n123456", "latin1"),
      "image/png",
      "is an image (image/png) of 14 B",
    ],
    ["a file", Buffer.from([1, 0, 2]), "application/zip", "is a file (application/zip) of 3 B"],
    ["a file of no type", Buffer.from([1, 0, 2]), "", "is a file of 3 B"],
  ])("describes %s", async (_, body, type, expected) => {
    await using it = await site(page(body, type));
    const result = await it.call("browse_url");
    expect(result.kind).toBe("output");
    expect(textOf(result)).toContain(expected);
  });

  test.each(["application/pdf", "application/octet-stream"])(
    "says that it cannot read a PDF (%s)",
    async (type) => {
      await using it = await site(page("%PDF-1.7 …", type));
      const result = await it.call("browse_url");
      expect(result.kind).toBe("failed");
      expect(textOf(result)).toMatch(
        /is a PDF of 12 B, which browse_url cannot read\. Look for the same as a web page/,
      );
    },
  );

  test("says what the site said when it says no", async () => {
    await using it = await site(page("<h1>Gone</h1><p>It was here once.", "text/html", 404));
    const result = await it.call("browse_url");
    expect(result.kind).toBe("failed");
    expect(textOf(result)).toMatch(/answered 404 Not Found\. The page does not exist/);
    expect(textOf(result)).toContain("# Gone\n\nIt was here once.");
  });

  test("says that a page without text may need scripts", async () => {
    await using it = await site(page("<div id=app></div><script>draw()</script>"));
    expect(textOf(await it.call("browse_url"))).toContain("Its content may need scripts");
  });
});

describe("extract_links", () => {
  const HTML = `<a href="/a">A</a><a href="/b#x"> B  b </a><a href="/a#y">again</a><a href="#z">here</a>
    <a href="https://other.test/c"><img alt="picture"></a><a href="mailto:x@y.test">mail</a><a href="javascript:1">no</a><a>no</a>`;

  test("lists absolute addresses, each once, with their words", async () => {
    await using it = await site(page(HTML));
    const result = await it.call("extract_links");
    expect(textOf(result)).toBe(
      `- A: ${it.origin}/a\n- B b: ${it.origin}/b\n- picture: https://other.test/c`,
    );
    expect(result).toMatchObject({
      structured: { total: 3, links: [{ url: `${it.origin}/a`, text: "A" }, {}, {}] },
    });
  });

  test("lists only those that fit", async () => {
    await using it = await site(page(HTML));
    const listed = async (args: Record<string, unknown>) => textOf(await it.call("extract_links", args));
    expect(await listed({ to: "other_sites" })).toBe("- picture: https://other.test/c");
    expect(await listed({ to: "same_site", filter: "b B" })).toBe(`- B b: ${it.origin}/b`);
    expect(await listed({ filter: "OTHER.test" })).toBe("- picture: https://other.test/c");
    expect(await listed({ filter: "nowhere" })).toBe("None of the page's 3 links matches.");
  });

  test("goes on where a list ended", async () => {
    await using it = await site(page(HTML));
    const result = await it.call("extract_links", { limit: 1, offset: 1 });
    expect(textOf(result)).toBe(`- B b: ${it.origin}/b\n(2 to 2 of 3; read on with offset 2)`);
    expect(result).toMatchObject({ structured: { next_offset: 2 } });
  });

  test("finds the addresses in a text, and has none of an image", async () => {
    await using plain = await site(
      page("see https://a.test/x, (http://b.test) and https://a.test/x.", "text/plain"),
    );
    expect(textOf(await plain.call("extract_links"))).toBe("- https://a.test/x\n- http://b.test/");
    await using image = await site(page("\x89PNG", "image/png"));
    expect(textOf(await image.call("extract_links"))).toContain("is not text (image/png)");
  });
});

describe("http_request", () => {
  test("sends method, headers and JSON, and gives status, headers and body", async () => {
    const bodies: string[] = [];
    await using it = await site(async (request, response) => {
      bodies.push(await text(request));
      response.writeHead(418, { "content-type": "application/json", "x-answer": "42" }).end('{"a":1}');
    });
    const headers = { "X-One": "1", Authorization: "Bearer canary" };
    const result = await it.call("http_request", { method: "PUT", headers, json: { b: [2] } });
    expect(bodies).toEqual(['{"b":[2]}']);
    expect(it.requests[0]).toMatchObject({
      method: "PUT",
      headers: { "x-one": "1", authorization: "Bearer canary", "content-type": "application/json" },
    });
    expect(textOf(result)).toMatch(
      /^418 I'm a Teapot\nfrom \S+\/page\n(.+\n)*x-answer: 42\n(.+\n)*\n\{"a":1\}$/i,
    );
    expect(result).toMatchObject({
      kind: "output",
      structured: { status: 418, headers: { "x-answer": "42" } },
    });
  });

  test("is a POST where it has a body and no method, a GET without", async () => {
    await using it = await site(page("ok", "text/plain"));
    await it.call("http_request", { body: "x" });
    await it.call("http_request");
    expect(it.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  test.each([
    [{ body: "x", json: 1 }, "has both body and json"],
    [{ method: "GET", body: "x" }, "A GET request has no body"],
    [{ headers: { Host: "inner.test" } }, "The header Host is set by the host"],
    [{ headers: { "Proxy-Authorization": "x" } }, "is set by the host"],
    [{ headers: { "a b": "x" } }, "is not a header that can be sent"],
    [{ headers: { a: "x\r\nb: c" } }, "is not a header that can be sent"],
  ])("refuses %j", async (args, why) => {
    await using it = await site(page("ok"));
    expect(textOf(await it.call("http_request", args))).toContain(why);
    expect(it.requests).toEqual([]);
  });

  test("takes no secret and no body along to another origin", async () => {
    await using it = await site(
      (request, response) => {
        const { host } = request.headers;
        if (host?.startsWith("site.test"))
          response.writeHead(307, { location: `http://other.test:${request.socket.localPort}/` }).end();
        else response.end(JSON.stringify(request.headers));
      },
      { web: { allowedHosts: ["site.test", "other.test"] } },
    );
    const headers = { Authorization: "canary", Cookie: "canary", "X-Key": "canary", Accept: "a/b" };
    const got = textOf(await it.call("http_request", { headers }));
    expect(got).toContain('"accept":"a/b"');
    expect(got).not.toContain("canary");
    expect(textOf(await it.call("http_request", { body: "canary" }))).toContain("is sent nowhere else");
    expect(it.requests.map(({ headers }) => headers.host?.split(":")[0])).toEqual([
      "site.test",
      "other.test",
      "site.test",
    ]);
  });

  test("gives a redirect as the answer where it is not to be followed", async () => {
    await using it = await site((_, response) => response.writeHead(302, { location: "/x" }).end());
    expect(textOf(await it.call("http_request", { follow_redirects: false }))).toMatch(
      /^302 Found\n[\s\S]*location: \/x/,
    );
  });

  test("says of a body that is no text only how long it is", async () => {
    await using it = await site(page(Buffer.from([0, 1, 2]), "application/zip"));
    expect(textOf(await it.call("http_request"))).toMatch(/\n\n\(3 B, not text\)$/);
  });

  test("changes things, and people see its headers without secrets", async () => {
    await using web = testWeb();
    const tool = web.tools.find(({ name }) => name === "http_request")!;
    expect(tool.flags).toEqual({ readOnly: false, concurrencySafe: false, destructive: true });
    expect(
      tool.shownArguments!({ url: "u", headers: { Authorization: "x", "X-Api-Key": "y", Accept: "z" } }),
    ).toEqual({
      url: "u",
      headers: { Authorization: "***", "X-Api-Key": "***", Accept: "z" },
    });
    expect(tool.shownArguments!("no object")).toBe("no object");
  });
});

describe.each(["browse_url", "extract_links", "http_request"])("%s has limits:", (tool) => {
  const limits = { allowedHosts: ["site.test"], timeoutMs: 400, maxBytes: 65_536 };

  test("an answer that never begins", async () => {
    await using it = await site(() => {}, { web: limits });
    expect(await it.call(tool)).toMatchObject({
      kind: "timed_out",
      message: expect.stringContaining("within 0.4 s"),
    });
  });

  test("a body that trickles", async () => {
    await using it = await site(
      (_, response) => {
        const timer = setInterval(() => response.write("x"), 20);
        response.once("close", () => clearInterval(timer));
      },
      { web: limits },
    );
    expect((await it.call(tool)).kind).toBe("timed_out");
  });

  test("a body without end", async () => {
    await using it = await site(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const flood = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        };
        response.on("drain", flood);
        flood();
      },
      { web: { ...limits, timeoutMs: 20_000 } },
    );
    const result = await it.call(tool);
    expect(result.kind).toBe("output");
    expect(textOf(result).length).toBeLessThan(70_000);
  });

  test("a body that unpacks to a thousand times its size", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, "x"));
    await using it = await site(
      (_, response) =>
        response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(bomb),
      { web: { ...limits, timeoutMs: 20_000 } },
    );
    const result = await it.call(tool);
    expect(result.kind).toBe("output");
    expect(textOf(result).length).toBeLessThan(70_000);
  });

  test("redirects in a circle", async () => {
    await using it = await site((_, response) => response.writeHead(302, { location: "/page" }).end());
    expect(textOf(await it.call(tool))).toContain("redirects more than 5 times");
    expect(it.requests).toHaveLength(6);
  });

  test("a call that is cancelled", async () => {
    const stop = new AbortController();
    await using it = await site(() => stop.abort());
    expect(await it.call(tool, {}, stop.signal)).toEqual({
      kind: "failed",
      message: "The call was cancelled.",
    });
  });
});

test("what cannot be reached is said in words", async () => {
  await using web = testWeb({
    network: {
      resolve: async () => {
        throw Object.assign(new Error("getaddrinfo ENOTFOUND no.test"), {
          code: "ENOTFOUND",
          syscall: "getaddrinfo",
        });
      },
    },
  });
  expect(textOf(await web.call("browse_url", { url: "no.test/page" }))).toBe(
    "no.test could not be reached: the host name does not exist. Check the address.",
  );
});

test("calls end when the tools are closed", async () => {
  const it = await site(() => {});
  const waiting = it.call("browse_url");
  await it[Symbol.asyncDispose]();
  expect((await waiting).kind).toBe("failed");
});
