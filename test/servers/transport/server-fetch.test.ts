import { expect, test } from "vitest";
import { createSameOriginFetch } from "../../../src/servers/transport/server-fetch.ts";
import { remoteServer } from "../../support/remote-server.ts";

test("a redirect to another address is refused, and nothing gets there", async () => {
  await using other = await remoteServer((_, response) => response.end());
  await using remote = await remoteServer((_, response) =>
    response.writeHead(307, { location: other.url }).end(),
  );
  await expect(createSameOriginFetch()(remote.url, { headers: { "x-api-key": "canary" } })).rejects.toThrow(
    `it redirects to ${new URL(other.url).origin}`,
  );
  expect(other.requests).toEqual([]);
});

test("a redirect within the same address is followed, with all that was sent", async () => {
  await using remote = await remoteServer((request, response) =>
    request.url === "/mcp"
      ? response.writeHead(308, { location: "/v2" }).end()
      : response.end(request.method),
  );
  const response = await createSameOriginFetch()(remote.url, {
    method: "POST",
    body: "x",
    headers: { a: "1" },
  });
  expect(await response.text()).toBe("POST");
  expect(remote.requests.map(({ url, headers }) => [url, headers.a])).toEqual([
    ["/mcp", "1"],
    ["/v2", "1"],
  ]);
});

test("redirects in a circle end", async () => {
  await using remote = await remoteServer((_, response) => response.writeHead(302, { location: "/" }).end());
  await expect(createSameOriginFetch()(remote.url)).rejects.toThrow("it redirects more than 5 times");
  expect(remote.requests).toHaveLength(6);
});
