import { describe, expect, it } from "vitest";
import { getHostContext } from "../../../src/features/clients/client.ts";
import { discoverPasted, MAX_PASTED, readPasted } from "../../../src/features/clients/import/pasted.ts";
import { Dice } from "../../support/dice.ts";

const HERE = { HOME: "/home/x", GITHUB_TOKEN: "from-here" };
const discovered = (text: string) =>
  discoverPasted(text, { host: getHostContext(HERE, "/work"), ownUrl: null });

async function servers(text: string) {
  const { servers, files } = await discovered(text);
  if (servers.length === 0) throw new Error(files[0]?.problem ?? "no server");
  return servers.map(({ name, fields, missing, skipped }) => {
    const { transport, command, args, env, url, headers } = fields;
    const parts = { transport, command, args, env, url, headers };
    const set = Object.entries(parts).filter(
      ([, value]) => value != null && (typeof value !== "object" || Object.keys(value).length > 0),
    );
    return {
      name,
      ...Object.fromEntries(set),
      ...(missing.length > 0 && { missing }),
      ...(skipped && { skipped }),
    };
  });
}

const REFERENCE = (name: string) => `\${${name}}`;
const problem = async (text: string) => (await discovered(text)).files[0]?.problem ?? "none";
const stdio = (name: string, command: string, args: string[], more = {}) => ({
  name,
  transport: "stdio",
  command,
  args,
  ...more,
});

describe("what READMEs show", () => {
  it.each([
    [
      "claude mcp add filesystem -- npx -y @modelcontextprotocol/server-filesystem ~/docs",
      stdio("filesystem", "npx", ["-y", "@modelcontextprotocol/server-filesystem", "~/docs"]),
    ],
    [
      "claude mcp add --transport http sentry https://mcp.sentry.dev/mcp",
      { name: "sentry", transport: "http", url: "https://mcp.sentry.dev/mcp" },
    ],
    [
      "claude mcp add -t sse asana https://mcp.asana.com/sse -s user",
      { name: "asana", transport: "sse", url: "https://mcp.asana.com/sse" },
    ],
    [
      `claude mcp add github --transport http --scope project https://api.githubcopilot.com/mcp/ \\\n  --header "Authorization: Bearer abc" -H 'X-Team: a b'`,
      {
        name: "github",
        transport: "http",
        url: "https://api.githubcopilot.com/mcp/",
        headers: { Authorization: "Bearer abc", "X-Team": "a b" },
      },
    ],
    [
      "claude mcp add airtable --env AIRTABLE_API_KEY=key -e B=2 C=3 -- npx -y airtable-mcp-server",
      stdio("airtable", "npx", ["-y", "airtable-mcp-server"], {
        env: { AIRTABLE_API_KEY: "key", B: "2", C: "3" },
      }),
    ],
    [
      "claude mcp add playwright npx @playwright/mcp@latest --headless -s local",
      stdio("playwright", "npx", ["@playwright/mcp@latest", "--headless"]),
    ],
    [
      'claude mcp add-json weather \'{"type":"stdio","command":"weather","args":["--x"]}\' --scope user',
      stdio("weather", "weather", ["--x"]),
    ],
    [
      "npx -y @modelcontextprotocol/server-memory",
      stdio("memory", "npx", ["-y", "@modelcontextprotocol/server-memory"]),
    ],
    ["$ npx @playwright/mcp@latest", stdio("playwright", "npx", ["@playwright/mcp@latest"])],
    [
      "TOKEN='a b' npx -y some-mcp@1.2.3 --flag",
      stdio("some", "npx", ["-y", "some-mcp@1.2.3", "--flag"], { env: { TOKEN: "a b" } }),
    ],
    ["uvx mcp-server-git --repository ./x", stdio("git", "uvx", ["mcp-server-git", "--repository", "./x"])],
    [
      "uvx --from git+https://github.com/a/serena serena start-mcp-server",
      stdio("serena", "uvx", ["--from", "git+https://github.com/a/serena", "serena", "start-mcp-server"]),
    ],
    ["python -m mcp_server_time", stdio("mcp_server_time", "python", ["-m", "mcp_server_time"])],
    [
      "docker run -i --rm -v /tmp:/data -e GITHUB_TOKEN -e MODE=ro ghcr.io/github/github-mcp-server:v1 stdio",
      stdio(
        "github",
        "docker",
        [
          "run",
          "-i",
          "--rm",
          "-v",
          "/tmp:/data",
          "-e",
          "GITHUB_TOKEN",
          "-e",
          "MODE",
          "ghcr.io/github/github-mcp-server:v1",
          "stdio",
        ],
        { env: { GITHUB_TOKEN: "from-here", MODE: "ro" } },
      ),
    ],
    ["https://mcp.linear.app/mcp", { name: "linear", transport: "http", url: "https://mcp.linear.app/mcp" }],
    ["http://localhost:3000/sse", { name: "localhost", transport: "sse", url: "http://localhost:3000/sse" }],
    [
      '{"mcp": {"inputs": [{"id": "k"}], "servers": {"perplexity": {"command": "npx", "args": ["-y", "p"]}}}}',
      stdio("perplexity", "npx", ["-y", "p"]),
    ],
    [
      '{"servers": {"a": {"type": "http", "url": "https://a.example/mcp"}}}',
      { name: "a", transport: "http", url: "https://a.example/mcp" },
    ],
    [
      '"mcpServers": {"a": {"command": "a-server"}},',
      stdio("a", "a-server", []).args.length === 0
        ? { name: "a", transport: "stdio", command: "a-server" }
        : {},
    ],
    ['```json\n{"a": {"command": "a-server"}}\n```', { name: "a", transport: "stdio", command: "a-server" }],
    [
      `code --add-mcp '{"name":"playwright","command":"npx","args":["@playwright/mcp@latest"]}'`,
      stdio("playwright", "npx", ["@playwright/mcp@latest"]),
    ],
    [
      '[mcp_servers.docs]\nurl = "https://docs.example/mcp"\nbearer_token_env_var = "GITHUB_TOKEN"',
      {
        name: "docs",
        transport: "http",
        url: "https://docs.example/mcp",
        headers: { Authorization: "Bearer from-here" },
      },
    ],
    [
      "gemini mcp add -s user -t http --timeout 5000 --trust web https://x.example/mcp -H 'A: b'",
      { name: "web", transport: "http", url: "https://x.example/mcp", headers: { A: "b" } },
    ],
    ["gemini mcp add my node server.js -- --port 1", stdio("my", "node", ["server.js", "--port", "1"])],
    [
      "codex mcp add context7 --env K=v -- npx -y @upstash/context7-mcp",
      stdio("context7", "npx", ["-y", "@upstash/context7-mcp"], { env: { K: "v" } }),
    ],
    [
      "codex mcp add docs --url https://docs.example/mcp",
      { name: "docs", transport: "http", url: "https://docs.example/mcp" },
    ],
    [
      `https://insiders.vscode.dev/redirect/mcp/install?name=fetch&config=${encodeURIComponent('{"command":"uvx","args":["mcp-server-fetch"]}')}`,
      stdio("fetch", "uvx", ["mcp-server-fetch"]),
    ],
    [
      `cursor://anysphere.cursor-deeplink/mcp/install?name=fetch&config=${encodeURIComponent(Buffer.from('{"command":"uvx","args":["mcp-server-fetch"]}').toString("base64"))}`,
      stdio("fetch", "uvx", ["mcp-server-fetch"]),
    ],
    ['{"name": "one", "command": ["npx", "-y", "x"]}', stdio("one", "npx", ["-y", "x"])],
  ])("%s", async (text, wanted) => {
    expect(await servers(text)).toEqual([wanted]);
  });

  it("several commands are several servers, between remarks", async () => {
    const text = "# don't forget\n$ claude mcp add a -- npx a-mcp\n\nclaude mcp add b \\\n  -- npx b-mcp\n";
    expect((await servers(text)).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("says which values are missing, and takes none of a question to the person for a value", async () => {
    const env = { KEY: REFERENCE("input:key") };
    const text = JSON.stringify({ inputs: [{ id: "key" }], servers: { p: { command: "x", env } } });
    expect(await servers(text)).toEqual([
      { name: "p", transport: "stdio", command: "x", missing: [REFERENCE("input:key")] },
    ]);
    expect(await servers("docker run -i -e UNSET_HERE image/x")).toMatchObject([
      { missing: [REFERENCE("UNSET_HERE")] },
    ]);
  });
});

describe("what is no server", () => {
  it.each([
    ["npm install -g some-mcp", "only installs a package"],
    ["pip install mcp-server-git", "only installs a package"],
    ["claude mcp list", "mcp add"],
    ["claude mcp add", "no name"],
    ["claude mcp add x", "neither a command nor an address"],
    ["claude mcp add --wat x y", "--wat"],
    ["claude mcp add -t http x npx", "expected an address"],
    ["npx a | sh", "outside quotes"],
    ["npx a; rm -rf /", "outside quotes"],
    ["npx $(curl https://x.example)", "contains another command"],
    ['npx "`id`"', "contains another command"],
    ["npx 'a", "an unclosed '"],
    ['code --add-mcp \'{"command":"x"}\'', "no name"],
    ["", "the text is empty"],
    ["hello", "line 1"],
  ])("%s", async (text, said) => {
    expect(await problem(text)).toContain(said);
  });

  it("is refused when it is too large, at once", async () => {
    expect(readPasted("x".repeat(MAX_PASTED + 1))).toMatchObject({ ok: false });
    expect(await problem(`npx ${"a ".repeat(20_000)}`)).toContain("longer than");
    expect(await problem(`npx ${"a ".repeat(2_000)}`)).toContain("more than 1000 words");
    // Each line goes on in the next, or opens a quote: as long as it may be, and read once.
    for (const line of ["npx \\\n", "npx '\n", 'npx "a\n', "claude \\\n"])
      await problem(line.repeat(MAX_PASTED / 8));
  });

  it("never throws, whatever the text is, and repeats no long word of it", async () => {
    const random = new Dice(19);
    const WORDS = [
      "claude",
      "mcp",
      "add",
      "npx",
      "-y",
      "--",
      "-e",
      "A=b",
      "--header",
      "X: y",
      "'",
      '"',
      "\\",
      "$",
      "${",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "https://",
      "http://x.example/mcp",
      "docker",
      "run",
      "\n",
      "`",
      "|",
      "mcpServers",
      "=",
      "code",
      "--add-mcp",
      "secret-word-that-is-quite-long-and-secret",
    ];
    for (let round = 0; round < 800; round++) {
      const text = Array.from({ length: 1 + random.below(12) }, () => WORDS[random.below(WORDS.length)]).join(
        random.below(2) ? " " : "",
      );
      const { files, servers } = await discovered(text);
      expect(files.length, text).toBe(1);
      if (servers.length === 0) expect(files[0]!.problem ?? "", text).not.toContain("secret-word-that-is");
    }
  });
});
