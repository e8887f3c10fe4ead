import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readClientTls } from "../../../src/machine/net/client-tls.ts";
import { tempHome } from "../../support/temp-home.ts";
import { createAuthority, type Issued, withoutOpenssl } from "./certificates.ts";

const run = promisify(execFile);
const NONE = { cert: null, key: null, ca: null };
const reason = await withoutOpenssl();
if (reason) console.log(`certificate files are not tested: ${reason}`);

test("no files are no TLS settings", async () => {
  expect(await readClientTls(NONE)).toEqual({ ok: true, value: {} });
});

describe.skipIf(reason)("the files of a client certificate", () => {
  let home: Awaited<ReturnType<typeof tempHome>>;
  let ca: string;
  let client: Issued;
  const at = (name: string) => join(home.path, name);
  beforeAll(async () => {
    home = await tempHome();
    const authority = await createAuthority(home.path);
    ca = authority.ca;
    client = await authority.issue("client");
    await authority.issue("stranger");
  });
  afterAll(() => home[Symbol.asyncDispose]());

  test("are read as text", async () => {
    const files = { cert: at("client.pem"), key: at("client.key"), ca: at("ca.pem") };
    expect(await readClientTls(files)).toEqual({ ok: true, value: { ...client, ca } });
    expect(await readClientTls({ ...NONE, ca: at("ca.pem") })).toEqual({ ok: true, value: { ca } });
  });

  test("may be one", async () => {
    const both = `${client.cert}${client.key}`;
    await writeFile(at("both.pem"), both);
    expect(await readClientTls({ ...NONE, cert: at("both.pem"), key: at("both.pem") })).toEqual({
      ok: true,
      value: { cert: both, key: both },
    });
  });

  test.each([
    ["is missing", "missing.pem", "missing.pem (certificate authorities) does not exist"],
    ["is a folder", ".", "is not a regular file"],
    ["is a pipe that nobody writes to", "pipe", "is not a regular file"],
    ["is too large", "large.pem", "has more than 1048576 bytes"],
    ["is not PEM", "junk.pem", "is not PEM: expected text with -----BEGIN CERTIFICATE-----"],
    ["is empty", "empty.pem", "is not PEM"],
    ["is a key", "client.key", "holds a private key and no certificate"],
    ["is damaged", "damaged.pem", "holds a certificate that cannot be read"],
  ])("are refused when one %s", async (_, name, why) => {
    if (name === "pipe") await run("mkfifo", [at("pipe")]).catch(() => undefined);
    await writeFile(at("large.pem"), ca + "\n".repeat(1024 * 1024));
    await writeFile(at("junk.pem"), "canary");
    await writeFile(at("empty.pem"), "");
    await writeFile(at("damaged.pem"), ca.replace(/\n[^-\n]{20}/, "\ncanary+canary/canary"));
    const read = await readClientTls({ ...NONE, ca: at(name) });
    expect(read).toEqual({ ok: false, error: expect.stringContaining(why) });
    expect(JSON.stringify(read)).not.toContain("canary");
  });

  test("are refused when one may not be read", async ({ skip }) => {
    if (process.getuid?.() === 0) {
      console.warn("left out: root may read everything");
      skip("root may read everything");
    }
    await writeFile(at("closed.pem"), ca);
    await chmod(at("closed.pem"), 0);
    expect(await readClientTls({ ...NONE, ca: at("closed.pem") })).toEqual({
      ok: false,
      error: expect.stringContaining("cannot be read by this user"),
    });
  });

  test("are refused when the key is not for the certificate, or one of both is missing", async () => {
    const [cert, key] = [at("client.pem"), at("client.key")];
    const refused = async (files: object) => {
      const read = await readClientTls({ ...NONE, ...files });
      return read.ok ? undefined : read.error;
    };
    expect(await refused({ cert, key: at("stranger.key") })).toContain("does not belong to");
    expect(await refused({ cert, key: cert })).toContain("holds a certificate and no private key");
    expect(await refused({ cert })).toContain("has a cert but no key");
    expect(await refused({ key })).toContain("has a key but no cert");
  });

  test.each(["traditional", "PKCS 8"])("are refused when the key has a passphrase (%s)", async (how) => {
    const target = at("locked.key");
    const form = how === "traditional" ? ["ec", "-aes256"] : ["pkcs8", "-topk8"];
    await run("openssl", [...form, "-in", at("client.key"), "-out", target, "-passout", "pass:canary"]);
    const read = await readClientTls({ ...NONE, cert: at("client.pem"), key: target });
    expect(read).toEqual({ ok: false, error: expect.stringContaining("needs a passphrase") });
  });
});
