import { createSocket } from "node:dgram";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ToolResult } from "../../../src/contract/tool.ts";
import { testBrowsers } from "../../support/chromium.ts";
import { inDeep, sampleOf } from "../../support/length.ts";
import { textOf } from "../../support/native.ts";
import { type RemoteServer, remoteServer } from "../../support/remote-server.ts";
import { testHub } from "../../support/test-hub.ts";
import { networkAt, testWeb, type WebSetup } from "../../support/web-tools.ts";

const { usual, cheap } = testBrowsers();
const BROWSERS = sampleOf(
  [...new Set([cheap, usual])].filter((program) => program !== undefined),
  1,
);
/** Starting a browser takes a second, and many where the machine is busy. */
const PATIENCE = { timeout: 120_000 };
/** What does not depend on the browser is tried with the one that takes less. */
const SETTINGS = { allowedHosts: ["page.test"], timeoutMs: 60_000, chromiumPath: cheap ?? null };

function web(setup: WebSetup["web"] = {}, rest: WebSetup = {}) {
  return testWeb({ ...rest, web: { ...SETTINGS, ...setup } });
}

const at = (host: string, { url }: RemoteServer, path = "/") => `http://${host}:${new URL(url).port}${path}`;

function html(body: string): RequestListener {
  return (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(body);
}

/** A folder for temporary files until the test ends, so that what is left can be seen. */
async function ownTmpdir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-screenshots-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Of the processes that run now, where the system shows them. */
async function commandsNaming(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return commands.filter((command) => command.includes(folder));
}

/** Width and height of the PNG in a result. */
function sizeOf(result: ToolResult): readonly [number, number] {
  const image = result.kind === "output" ? result.content[1] : undefined;
  expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
  const bytes = Buffer.from(String(image!.data), "base64");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test("screenshot_url says so where there is no browser", async () => {
  const empty = { PATH: "/nowhere" };
  await using none = web({ chromiumPath: "no-such-browser" }, { env: empty });
  const result = await none.call("screenshot_url", { url: "https://page.test/" });
  expect(result.kind).toBe("unavailable");
  expect(textOf(result)).toContain("web.chromium_path names no-such-browser, which does not exist");
});

describe.runIf(BROWSERS.length > 0)("screenshot_url", PATIENCE, () => {
  test.each(BROWSERS)(
    "shows a page as its scripts leave it, and leaves nothing behind: %s",
    async (program) => {
      const folder = await ownTmpdir();
      await using server = await remoteServer(
        html("<title>first</title><body><script>document.title = 'second'; alert('wait')</script>"),
      );
      await using it = web({ chromiumPath: program === usual ? null : program });
      const result = await it.call("screenshot_url", {
        url: at("page.test", server),
        width: 400,
        height: 300,
      });
      // Nothing else was asked for, not even by the browser itself.
      expect(textOf(result)).toBe(`Title: second\nAddress: ${at("page.test", server)}\n`);
      expect(sizeOf(result)).toEqual([400, 300]);
      expect(await readdir(folder)).toEqual([]);
      expect(await commandsNaming(folder)).toEqual([]);
    },
  );

  inDeep("shows a whole page, up to a limit, and what the site answered", async () => {
    await using server = await remoteServer((request, response) =>
      response
        .writeHead(404, { "content-type": "text/html" })
        .end(`<body style="margin:0"><div style="height:${request.url!.slice(1)}px">x</div>`),
    );
    await using it = web();
    const shot = (path: string) =>
      it.call("screenshot_url", {
        url: at("page.test", server, path),
        width: 320,
        height: 240,
        full_page: true,
      });
    const short = await shot("/1000");
    expect(sizeOf(short)).toEqual([320, 1_000]);
    expect(textOf(short)).toContain("The site answered 404.");
    expect(sizeOf(await shot("/50000"))).toEqual([320, 8_000]);
  });

  test.each(
    sampleOf(
      [
        ["127.0.0.1", "a loopback address"],
        ["2130706433", "127.0.0.1 may not be reached"],
        ["[::ffff:127.0.0.1]", "a loopback address"],
        ["inner.test", "inner.test may not be reached: it is 127.0.0.1"],
      ] as const,
      2,
    ),
  )("does not show %s, asked for or redirected to", async (host, why) => {
    await using inside = await remoteServer((_, response) => response.end("inside"));
    await using server = await remoteServer((_, response) =>
      response.writeHead(302, { location: at(host, inside) }).end(),
    );
    await using it = web();
    for (const url of [at(host, inside), at("page.test", server)]) {
      const result = await it.call("screenshot_url", { url });
      expect(result.kind).toBe("failed");
      expect(textOf(result)).toContain(why);
    }
    expect(inside.requests).toEqual([]);
  });

  test("does not follow a name that changes between check and use", async () => {
    await using server = await remoteServer((request, response) => {
      const script = "fetch('/second').finally(() => { document.title = 'tried' })";
      response
        .writeHead(200, { "content-type": "text/html", connection: "close" })
        .end(request.url === "/" ? `<script>${script}</script>` : "");
    });
    let asked = 0;
    const network = networkAt(() => (++asked === 1 ? "127.0.0.1" : "127.0.0.2"));
    await using it = web({ allowedHosts: ["127.0.0.1"] }, { network });
    const result = await it.call("screenshot_url", { url: at("rebind.test", server), wait_ms: 1_000 });
    expect(textOf(result)).toContain("Title: tried");
    expect(textOf(result)).toContain("Not loaded, because not allowed (web.allowed_hosts): rebind.test");
    expect(server.requests.map(({ url }) => url)).toEqual(["/"]);
  });

  test.each(BROWSERS)("ends with its call: %s", async (chromiumPath) => {
    const folder = await ownTmpdir();
    const stop = new AbortController();
    await using server = await remoteServer(() => stop.abort());
    await using it = web({ chromiumPath });
    const result = await it.call("screenshot_url", { url: at("page.test", server) }, stop.signal);
    expect(result).toEqual({ kind: "failed", message: "The call was cancelled." });
    expect(await readdir(folder)).toEqual([]);
    expect(await commandsNaming(folder)).toEqual([]);
  });

  test("passes the whole hub as an image", async () => {
    await using server = await remoteServer(html("<title>hub</title>"));
    await using hub = await testHub({
      settings: { web: { allowed_hosts: ["127.0.0.1"], timeout_ms: 60_000, chromium_path: cheap ?? null } },
    });
    const outcome = await hub.call("screenshot_url", { url: at("127.0.0.1", server) });
    expect(outcome).toMatchObject({ outcome: "ok", truncated: false, content: [{}, { type: "image" }] });
  });
});

describe.runIf(BROWSERS.length > 0)("a page that", PATIENCE, () => {
  let inside: RemoteServer;
  const packets: string[] = [];
  const udp = createSocket("udp4");
  beforeAll(async () => {
    inside = await remoteServer((_, response) =>
      response.writeHead(200, { "access-control-allow-origin": "*" }).end("inside"),
    );
    udp.on("message", (message) => packets.push(message.toString("latin1")));
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    udp.close();
    await inside[Symbol.asyncDispose]();
  });

  // Together with the next ones, for what they do most is to wait.
  test.concurrent("does not answer, or is still loading, is said to", async ({ expect }) => {
    await using server = await remoteServer((request, response) => {
      if (request.url === "/silent") return;
      response.writeHead(200, { "content-type": "text/html" });
      if (request.url === "/slow") response.end("<title>slow</title><img src=/silent>");
    });
    await using it = web({ timeoutMs: 20_000 });
    const [slow, silent] = await Promise.all(
      ["/slow", "/silent"].map((path) => it.call("screenshot_url", { url: at("page.test", server, path) })),
    );
    expect(textOf(slow!)).toContain("The page was still loading when the screenshot was taken.");
    expect(silent).toMatchObject({ kind: "timed_out", message: expect.stringContaining("within 20 s") });
  });

  test.concurrent.for(BROWSERS)(
    "tries to get inside is refused in every way by %s",
    async (chromiumPath, { expect }) => {
      const { port } = new URL(inside.url);
      const hosts = [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "inner.test",
        "0.0.0.0",
      ];
      const script = `
      const tries = [];
      const heard = [];
      const attempt = (name, work) => tries.push(
        Promise.race([Promise.resolve().then(work), new Promise((_, no) => setTimeout(no, 4000, "late"))])
          .then((said) => heard.push(name + "=" + said), () => {}));
      for (const host of ${JSON.stringify(hosts)}) {
        const there = host + ":${port}";
        attempt("fetch", async () => (await fetch("http://" + there + "/fetch")).text());
        attempt("https", async () => (await fetch("https://" + there + "/https")).text());
        attempt("no-cors", async () => (await fetch("http://" + there + "/no-cors", { mode: "no-cors" })).type === "opaque" ? Promise.reject() : "");
        attempt("image", () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = "http://" + there + "/image"; }));
        attempt("socket", () => new Promise((yes, no) => { const s = new WebSocket("ws://" + there + "/socket"); s.onopen = yes; s.onerror = no; }));
        attempt("beacon", () => { navigator.sendBeacon("http://" + there + "/beacon", "x"); return Promise.reject(); });
        for (const rel of ["preconnect", "dns-prefetch", "prefetch", "preload", "stylesheet"]) {
          const link = document.createElement("link");
          link.rel = rel; link.href = "http://" + there + "/" + rel; link.as = "script";
          document.head.append(link);
        }
        const frame = document.createElement("iframe");
        frame.src = "http://" + there + "/frame";
        document.body.append(frame);
      }
      attempt("file", async () => (await fetch("file:///etc/hostname")).text());
      attempt("redirect", async () => (await fetch("/redirect")).text());
      attempt("stun", async () => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${udp.address().port}" }] });
        const candidates = [];
        peer.onicecandidate = ({ candidate }) => candidate && candidate.candidate && candidates.push(candidate.candidate);
        peer.createDataChannel("x");
        await peer.setLocalDescription(await peer.createOffer());
        await new Promise((go) => setTimeout(go, 2000));
        return candidates.length > 0 ? candidates.join() : Promise.reject();
      });
      attempt("transport", async () => {
        const transport = new WebTransport("https://127.0.0.1:${udp.address().port}/x");
        await transport.ready;
        return "open";
      });
      const file = document.createElement("iframe");
      file.src = "file:///etc/hostname";
      document.body.append(file);
      window.open("http://127.0.0.1:${port}/popup");
      Promise.all(tries).then(() => { document.title = "heard:" + heard.join() + ":end"; });`;
      await using server = await remoteServer((request, response) => {
        if (request.url === "/redirect")
          response.writeHead(302, { location: `http://127.0.0.1:${port}/redirected` }).end();
        else html(`<body><script>${script}</script>`)(request, response);
      });
      await using it = web({ chromiumPath });
      const result = await it.call("screenshot_url", { url: at("page.test", server), wait_ms: 8_000 });
      expect(textOf(result)).toContain("Title: heard::end");
      expect(textOf(result)).toContain(`127.0.0.1:${port}`);
      expect(inside.requests.map(({ url }) => url)).toEqual([]);
      expect(packets).toEqual([]);
    },
  );

  test.for(BROWSERS)("goes inside itself is not shown by %s", async (chromiumPath) => {
    const { port } = new URL(inside.url);
    await using server = await remoteServer(
      html(`<script>location = "http://127.0.0.1:${port}/gone"</script>`),
    );
    await using it = web({ chromiumPath });
    const result = await it.call("screenshot_url", { url: at("page.test", server), wait_ms: 2_000 });
    expect(textOf(result)).toContain("127.0.0.1 may not be reached");
    expect(inside.requests.map(({ url }) => url)).toEqual([]);
  });
});
