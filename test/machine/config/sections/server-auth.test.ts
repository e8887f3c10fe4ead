import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkFiles, loadSettings } from "../../../../src/machine/config/load.ts";
import { settingsFolder } from "../settings-folder.ts";

const PEM = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n";

async function read(entry: object, files: Record<string, unknown> = {}) {
  const server = { url: "https://x.example/mcp", ...entry };
  await using folder = await settingsFolder({
    "home/config.json": { mcpServers: { web: server } },
    ...files,
  });
  const { problems, warnings } = await checkFiles(folder.options);
  const messages = [...problems, ...warnings].map(({ message }) => message.replace(/^.*?: /, ""));
  const loaded = problems.length > 0 ? undefined : (await loadSettings(folder.options)).settings.servers[0];
  return { server: loaded, messages, home: folder.home };
}

describe("oauth in a settings file", () => {
  test.each([
    [{ client_id: "me", client_secret: "s3cret", scope: "read write" }],
    [{ clientId: "me", clientSecret: "s3cret", scopes: ["read", "write"] }],
    [{ clientId: "me", clientSecret: "s3cret", scope: "read write", grant_type: "authorization_code" }],
  ])("%j is read as other programs write it", async (oauth) => {
    const { server, messages } = await read({ oauth });
    expect(messages).toEqual([]);
    expect(server?.oauth).toMatchObject({ clientId: "me", clientSecret: "s3cret", scope: "read write" });
  });

  test.each([[false], [null]])("%j asks for nothing", async (oauth) => {
    const { server, messages } = await read({ oauth });
    expect(messages).toEqual([]);
    expect(server?.oauth).toBeNull();
  });

  test("a private key is read from a file beside the settings", async () => {
    const oauth = { grant: "client_credentials", client_id: "me", private_key_file: "key.pem" };
    const { server } = await read({ oauth }, { "home/key.pem": PEM });
    expect(server?.oauth).toMatchObject({ grant: "client_credentials", privateKey: PEM });
  });

  test("a private key file that is not there is a problem with its place", async () => {
    const { messages } = await read({ oauth: { private_key_file: "gone.pem" } });
    expect(messages).toEqual([
      expect.stringMatching(
        /mcpServers\.web\.oauth\.private_key_file: expected a file with a private key in PEM, got a file that cannot be read/,
      ),
    ]);
  });

  test("a wrong value is named by its key in the file and never quoted", async () => {
    const { messages } = await read({ oauth: { client_id: "me", client_secret: 5, private_key: "hunter2" } });
    expect(messages.join("\n")).toContain(
      "mcpServers.web.oauth.client_secret: expected the secret of a client",
    );
    expect(messages.join("\n")).toContain("mcpServers.web.oauth.private_key: expected a private key in PEM");
    expect(messages.join("\n")).not.toContain("hunter2");
  });

  test("a key that is not known is a warning", async () => {
    const { messages, server } = await read({ oauth: { client_id: "me", client_secert: "x" } });
    expect(messages).toEqual([expect.stringContaining('did you mean "client_secret"?')]);
    expect(server?.oauth).toMatchObject({ clientId: "me", clientSecret: null });
  });

  test("something else than an object is a problem", async () => {
    expect((await read({ oauth: "yes" })).messages).toEqual([
      expect.stringContaining("mcpServers.web.oauth: expected an object"),
    ]);
  });
});

describe("tls in a settings file", () => {
  test("names files from where the settings file is", async () => {
    const { server, home } = await read({ tls: { cert: "c.pem", key: "~/k.pem", ca: "/etc/ca.pem" } });
    expect(server?.tls).toEqual({
      cert: join(home, "c.pem"),
      key: join(homedir(), "k.pem"),
      ca: "/etc/ca.pem",
    });
  });

  test("is of no use to a local server, which is a warning", async () => {
    const { messages, server } = await read({ url: null, command: "x", tls: { ca: "/ca.pem" } });
    expect(messages).toEqual([expect.stringContaining("mcpServers.web.tls: has no effect")]);
    expect(server?.tls).toBeNull();
  });
});

describe("settings of a server's life", () => {
  test("keep_alive and progress_extends_timeout are read", async () => {
    const { server } = await read({ keep_alive: true, progress_extends_timeout: true });
    expect(server).toMatchObject({ keepAlive: true, progressExtendsTimeout: true });
  });

  test("a wrong one is named by its key in the file", async () => {
    const { messages } = await read({ keep_alive: "yes" });
    expect(messages).toEqual(['mcpServers.web.keep_alive: expected true or false, got "yes"']);
  });

  test.each([
    [
      { mcp: { idle_timeout_secs: 0 } },
      "mcp.idle_timeout_secs: expected a whole number from 1 to 86400 seconds",
    ],
    [{ net: { allow_hosts: "x" } }, "net.allow_hosts: expected a list of at most 200 host names"],
    [{ net: { allow_hosts: ["https://x"] } }, "net.allow_hosts: expected a host name, an address or a range"],
  ])("%j is refused", async (content, message) => {
    await using folder = await settingsFolder({ "home/config.json": content });
    const { problems } = await checkFiles(folder.options);
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  test("a project file may neither open private hosts nor keep servers longer", async () => {
    await using folder = await settingsFolder({
      "home/config.json": {
        net: { allow_hosts: ["*.corp.example", "10.0.0.0/8"] },
        mcp: { idle_timeout_secs: 60 },
      },
      "project/toolkeep.json": { net: { allow_hosts: ["127.0.0.1"] }, mcp: { idle_timeout_secs: 61 } },
    });
    const { settings, warnings } = await loadSettings(folder.options);
    expect(settings.net.allowHosts).toEqual(["*.corp.example", "10.0.0.0/8"]);
    expect(settings.mcp.idleMs).toBe(60_000);
    expect(warnings).toHaveLength(2);
  });
});
