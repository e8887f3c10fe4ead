import { describe, expect, test } from "vitest";
import { describeFailure } from "../../../src/servers/connection/failure.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { testUpstream } from "../../support/upstream.ts";

const told = (error: unknown) => describeFailure(error, undefined, (text) => text);

describe("why a connection failed", () => {
  test("is told without the SDK's own words, on one line", () => {
    const cause = new Error("connect ECONNREFUSED 127.0.0.1:1\n");
    const request = new TypeError("the request to x.example failed", { cause });
    const probe = new Error("Version negotiation probe failed: the request to x.example failed", {
      cause: request,
    });
    expect(told(probe)).toBe("the request to x.example failed (connect ECONNREFUSED 127.0.0.1:1)");
  });

  test("names a host that does not exist", () => {
    const cause = Object.assign(new Error("getaddrinfo ENOTFOUND x.example"), {
      code: "ENOTFOUND",
      hostname: "x.example",
    });
    expect(told(new Error("Version negotiation probe failed: …", { cause }))).toBe(
      "the host x.example was not found",
    );
  });

  test("asks whether the address is meant to be http where nothing speaks TLS", async () => {
    await using remote = await remoteServer((_, response) => response.end());
    await using up = await testUpstream();
    await up.upstream.add("web", { url: remote.url.replace("http:", "https:") });
    await up.upstream.settled();
    expect(up.upstream.server("web").lastError).toBe(
      "it does not speak TLS there; should the address begin with http://?",
    );
  });
});
