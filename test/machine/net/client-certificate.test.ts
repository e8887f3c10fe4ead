import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { tempHome } from "../../support/temp-home.ts";
import { createAuthority, type Issued, withoutOpenssl } from "./certificates.ts";
import { openFetch } from "./open-fetch.ts";

const reason = await withoutOpenssl();
if (reason) console.log(`client certificates are not tested: ${reason}`);

describe.skipIf(reason)("a client certificate", () => {
  let home: Awaited<ReturnType<typeof tempHome>>;
  let ca: string;
  let server: Issued;
  let client: Issued;
  beforeAll(async () => {
    home = await tempHome();
    const authority = await createAuthority(home.path);
    ca = authority.ca;
    server = await authority.issue("server", ["bank.test", "other.test"]);
    client = await authority.issue("toolkeep");
  });
  afterAll(() => home[Symbol.asyncDispose]());

  test("is shown to the host it is for, which is believed by its own authority", async () => {
    await using bank = await tlsServer({ isRequired: true });
    await using guarded = openFetch(["bank.test"], { tls: { ...client, ca, hosts: new Set(["bank.test"]) } });
    const response = await guarded.fetch(`https://bank.test:${bank.port}/`);
    expect(await response.text()).toBe("toolkeep");
  });

  test("that is missing ends the request", async () => {
    await using bank = await tlsServer({ isRequired: true });
    await using guarded = openFetch(["bank.test"], { tls: { ca, hosts: new Set(["bank.test"]) } });
    await expect(guarded.fetch(`https://bank.test:${bank.port}/`)).rejects.toThrow(
      `the request to bank.test:${bank.port} failed`,
    );
    expect(bank.shown).toEqual([]);
  });

  test("and its authority are for no other host", async () => {
    await using bank = await tlsServer({ isRequired: false });
    await using guarded = openFetch(["other.test"], {
      tls: { ...client, ca, hosts: new Set(["bank.test"]) },
    });
    const url = `https://other.test:${bank.port}/`;
    await expect(guarded.fetch(url)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/CERT|ISSUER|VERIFY/) },
    });
    expect(bank.shown).toEqual([]);

    believeEverybody();
    expect(await (await guarded.fetch(url)).text()).toBe("nobody");
  });

  test("is not shown after a redirect from elsewhere", async () => {
    await using bank = await tlsServer({ isRequired: false });
    await using elsewhere = await tlsServer({
      isRequired: false,
      redirect: `https://bank.test:${bank.port}/`,
    });
    await using guarded = openFetch(["other.test", "bank.test"], {
      tls: { ...client, ca, hosts: new Set(["bank.test"]) },
    });
    believeEverybody();
    const response = await guarded.fetch(`https://other.test:${elsewhere.port}/`);
    expect(await response.text()).toBe("nobody");
    expect(bank.shown).toEqual(["nobody"]);
  });

  test("of a server has to be for the host of the URL, whatever the Host header says", async () => {
    await using bank = await tlsServer({ isRequired: false });
    await using guarded = openFetch(["third.test"], { tls: { ca, hosts: new Set(["third.test"]) } });
    const headers = { host: "bank.test" };
    await expect(guarded.fetch(`https://third.test:${bank.port}/`, { headers })).rejects.toMatchObject({
      cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
    });
    expect(bank.shown).toEqual([]);
  });

  /** Answers with the name in the certificate that it was shown. */
  async function tlsServer({ isRequired, redirect }: { isRequired: boolean; redirect?: string }) {
    const shown: string[] = [];
    const options = { ...server, ca, requestCert: true, rejectUnauthorized: isRequired };
    const listener = createServer(options, (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      shown.push(String(subject?.CN ?? "nobody"));
      if (redirect) response.writeHead(302, { location: redirect });
      response.end(shown.at(-1));
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    return {
      port: (listener.address() as AddressInfo).port,
      shown,
      async [Symbol.asyncDispose]() {
        listener.closeAllConnections();
        await new Promise((resolve) => listener.close(resolve));
      },
    };
  }
});

/** So that a handshake gets as far as a client certificate with a host whose authority is not believed. */
function believeEverybody(): void {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  onTestFinished(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
}
