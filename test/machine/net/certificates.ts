import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of its own in `folder`, made with openssl. */
export async function createAuthority(folder: string) {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=ca",
    "-days",
    "2",
  );
  return {
    ca: await readFile(join(folder, "ca.pem"), "utf8"),
    /** For the host names `hosts`; files `<name>.pem` and `<name>.key` stay in the folder. */
    async issue(name: string, hosts: readonly string[] = [name]): Promise<Issued> {
      const [key, request, cert] = [`${name}.key`, `${name}.csr`, `${name}.pem`];
      await openssl("req", ...newKey, "-keyout", key, "-out", request, "-subj", `/CN=${name}`);
      const names = hosts.map((host) => `DNS:${host}`).join(",");
      await writeFile(join(folder, `${name}.ext`), `subjectAltName=${names}\n`);
      const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
      await openssl("x509", "-req", "-in", request, "-out", cert, ...signing, "-extfile", `${name}.ext`);
      return {
        cert: await readFile(join(folder, cert), "utf8"),
        key: await readFile(join(folder, key), "utf8"),
      };
    },
  };
}

/** Why certificates cannot be made here; undefined when they can. */
export async function withoutOpenssl(): Promise<string | undefined> {
  try {
    await run("openssl", ["version"]);
    return undefined;
  } catch (error) {
    return `openssl cannot be run here: ${(error as Error).message}`;
  }
}
