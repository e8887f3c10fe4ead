import { describe, expect, test } from "vitest";
import { INSIDE } from "../../support/inside.ts";
import { textOf } from "../../support/native.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { testWeb } from "../../support/web-tools.ts";

const FETCHING = ["browse_url", "extract_links", "http_request"];
const LOOPBACK = { address: "127.0.0.1", family: 4 };

const under = (host: string, url: string) => url.replace("127.0.0.1", host);

describe.each(FETCHING)("%s", (tool) => {
  test.each(INSIDE)("does not reach %s", async (host, why) => {
    await using server = await remoteServer((_, response) => response.end("inside"));
    await using web = testWeb();
    const result = await web.call(tool, { url: under(host, server.url) });
    expect(result.kind).toBe("failed");
    expect(textOf(result)).toContain(why);
    expect(textOf(result)).toMatch(/If it is meant, a person can add \S+ to web\.allowed_hosts\.$/);
    expect(server.requests).toEqual([]);
  });

  test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1%eth0"])(
    "does not reach a name that leads to %s",
    async (address) => {
      await using server = await remoteServer((_, response) => response.end("inside"));
      const network = { resolve: async () => [{ address, family: address.includes(":") ? 6 : 4 }] };
      await using web = testWeb({ network });
      const result = await web.call(tool, { url: under("evil.test", server.url) });
      expect(textOf(result)).toContain(`evil.test may not be reached: it is ${address}`);
      expect(server.requests).toEqual([]);
    },
  );

  test("does not follow a redirect inside", async () => {
    for (const inside of [
      "http://127.0.0.1",
      "http://2130706433",
      "http://[::ffff:127.0.0.1]",
      "http://inner.test",
    ]) {
      await using server = await remoteServer((request, response) => {
        const port = request.socket.localPort;
        if (request.url === "/secret") response.end("inside");
        else response.writeHead(302, { location: `${inside}:${port}/secret` }).end();
      });
      await using web = testWeb({ web: { allowedHosts: ["page.test"] } });
      const result = await web.call(tool, { url: under("page.test", server.url) });
      expect(textOf(result)).toContain("may not be reached");
      expect(server.requests.map(({ url }) => url)).toEqual(["/mcp"]);
    }
  });

  test("connects to the address that was checked, however its name changes", async () => {
    await using server = await remoteServer((_, response) =>
      response.writeHead(200, { "content-type": "text/plain", connection: "close" }).end("first"),
    );
    let asked = 0;
    const resolve = async () => (++asked === 1 ? [LOOPBACK] : [{ address: "127.0.0.2", family: 4 }]);
    await using web = testWeb({ web: { allowedHosts: ["127.0.0.1"] }, network: { resolve } });
    const url = under("rebind.test", server.url);
    expect((await web.call(tool, { url })).kind).toBe("output");
    expect(asked).toBe(1);
    expect(textOf(await web.call(tool, { url }))).toContain("it is 127.0.0.2, a loopback address");
    expect(server.requests).toHaveLength(1);
  });

  test("reaches what people allowed, until they take it back", async () => {
    await using server = await remoteServer((_, response) =>
      response.writeHead(200, { "content-type": "text/plain" }).end("https://found.test/"),
    );
    const allowedHosts = ["127.0.0.0/8"];
    await using web = testWeb({ web: { allowedHosts } });
    expect((await web.call(tool, { url: server.url })).kind).toBe("output");
    allowedHosts.length = 0;
    expect(textOf(await web.call(tool, { url: server.url }))).toContain("may not be reached");
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["file:///etc/passwd", "Expected an http:// or https:// address"],
    ["ftp://page.test/", "Expected an http:// or https:// address"],
    ["data:text/html,hello", "Expected an http:// or https:// address"],
    ["http://user:canary@page.test/", "contains a user name or password"],
    ["http://page.test:25/", "port 25 of page.test is not asked"],
    ["http://:::/", "Expected an address such as"],
  ])("refuses %s", async (url, why) => {
    await using web = testWeb({ web: { allowedHosts: ["page.test"] } });
    const result = await web.call(tool, { url });
    expect(result.kind).toBe("failed");
    expect(textOf(result)).toContain(why);
    expect(textOf(result)).not.toContain("canary");
  });

  test("asks only the ports that people named, at every hop", async () => {
    await using other = await remoteServer((_, response) => response.end("other"));
    await using server = await remoteServer((_, response) =>
      response.writeHead(302, { location: under("page.test", other.url) }).end(),
    );
    const port = Number(new URL(server.url).port);
    const refused = Number(new URL(other.url).port);
    await using web = testWeb({ web: { allowedHosts: ["page.test"], allowedPorts: [port] } });
    for (const url of [server.url, other.url]) {
      const result = await web.call(tool, { url: under("page.test", url) });
      expect(textOf(result)).toBe(
        `port ${refused} of page.test may not be asked, only ${port}. If it is meant, a person can add it to web.allowed_ports.`,
      );
    }
    expect(other.requests).toEqual([]);
  });
});
