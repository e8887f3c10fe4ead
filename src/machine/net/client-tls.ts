import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { messageOf } from "../../contract/errors.ts";
import type { ClientTls } from "../../lib/net/connections.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** Paths, as the settings hold them. */
export interface TlsFiles {
  readonly cert: string | null;
  readonly key: string | null;
  readonly ca: string | null;
}

const MAX_PEM_BYTES = 1024 * 1024;
const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

/**
 * Reads the PEM text of every named file, or returns the problem of the first unusable one, for people. A certificate
 * and a key may be in one file, which is then named twice. Messages never contain file contents.
 */
export async function readClientTls(files: TlsFiles): Promise<Result<ClientTls, string>> {
  const cert = await readPem("client certificate", files.cert, checkCertificate);
  if (!cert.ok) return cert;
  const key = await readPem("key of the client certificate", files.key, checkKey);
  if (!key.ok) return key;
  const ca = await readPem("certificate authorities", files.ca, checkCertificate);
  if (!ca.ok) return ca;

  const mismatch = mismatchOf(files, cert.value, key.value);
  if (mismatch) return err(mismatch);
  return ok({
    ...(cert.value && { cert: cert.value.text }),
    ...(key.value && { key: key.value.text }),
    ...(ca.value && { ca: ca.value.text }),
  });
}

interface Pem<T> {
  readonly text: string;
  readonly parsed: T;
}

async function readPem<T>(
  what: string,
  path: string | null,
  check: (pem: string) => Result<T, string>,
): Promise<Result<Pem<T> | undefined, string>> {
  if (path === null) return ok(undefined);
  const file = `the PEM file ${path} (${what})`;
  const content = await readText(path);
  if (!content.ok) return err(`${file} ${content.error}`);
  const parsed = check(content.value);
  return parsed.ok ? ok({ text: content.value, parsed: parsed.value }) : err(`${file} ${parsed.error}`);
}

async function readText(path: string): Promise<Result<string, string>> {
  let handle: FileHandle | undefined;
  try {
    // Opened without blocking, because opening a pipe waits for a writer.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return err("is not a regular file: give the path of one");
    const content = await text(handle.createReadStream({ end: MAX_PEM_BYTES, autoClose: false }));
    if (content.length <= MAX_PEM_BYTES) return ok(content);
    return err(`has more than ${MAX_PEM_BYTES} bytes: is it the right file?`);
  } catch (error) {
    return err(unreadable(error));
  } finally {
    await handle?.close();
  }
}

function unreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist: correct the path in the server's tls";
  if (code === "EACCES" || code === "EPERM")
    return "cannot be read by this user: make it readable for the user of the daemon";
  return `cannot be read: ${code ?? messageOf(error)}`;
}

function checkCertificate(pem: string): Result<X509Certificate, string> {
  if (!CERTIFICATE.test(pem))
    return err(`${holds(pem)}: expected text with -----BEGIN CERTIFICATE-----, as in a PEM file`);
  return attempt(() => new X509Certificate(pem), "holds a certificate that cannot be read");
}

function checkKey(pem: string): Result<KeyObject, string> {
  if (!PRIVATE_KEY.test(pem))
    return err(`${holds(pem)}: expected text with -----BEGIN PRIVATE KEY-----, as in a PEM file`);
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem))
    return err(
      "needs a passphrase, which nobody could give: write it without one (openssl pkey -in … -out …)",
    );
  return attempt(() => createPrivateKey(pem), "holds a private key that cannot be read");
}

function holds(pem: string): string {
  if (PRIVATE_KEY.test(pem)) return "holds a private key and no certificate";
  if (CERTIFICATE.test(pem)) return "holds a certificate and no private key";
  return "is not PEM";
}

/** Drops the library's own message, which may quote the file. */
function attempt<T>(parse: () => T, failure: string): Result<T, string> {
  try {
    return ok(parse());
  } catch {
    return err(`${failure}: is it whole, and in PEM?`);
  }
}

function mismatchOf(
  files: TlsFiles,
  cert: Pem<X509Certificate> | undefined,
  key: Pem<KeyObject> | undefined,
): string | undefined {
  if (cert && !key) return "the server's tls has a cert but no key: name both";
  if (key && !cert) return "the server's tls has a key but no cert: name both";
  if (!cert || !key || cert.parsed.checkPrivateKey(key.parsed)) return undefined;
  return `the key in ${files.key} does not belong to the first certificate in ${files.cert}`;
}
