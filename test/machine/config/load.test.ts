import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { homeOf } from "../../../src/machine/config/environment.ts";
import { checkFiles, loadSettings } from "../../../src/machine/config/load.ts";
import { projectFile } from "../../../src/machine/config/settings-file.ts";
import { settingsFolder } from "./settings-folder.ts";

describe("loadSettings", () => {
  test("without files and variables every setting has its default", async () => {
    await using folder = await settingsFolder();
    const { settings, files, warnings, origins } = await loadSettings(folder.options);
    expect(settings).toEqual({
      home: folder.home,
      features: {},
      host: "127.0.0.1",
      port: 19_850,
      publicUrl: null,
      databaseUrl: null,
      logLevel: "info",
      naming: { template: "mcp_{server}_{tool}", maxLength: 50 },
      mcp: {
        enabled: true,
        requireApproval: true,
        pin: "untrusted",
        deferredLoading: "auto",
        toolTimeoutMs: 120_000,
        maxDescriptionLength: 200,
        idleMs: 600_000,
      },
      net: { allowHosts: [] },
      rateLimits: { requestsPerMinute: 0, failuresPerMinute: 60 },
      oauthServer: {
        enabled: true,
        dynamicRegistration: false,
        accessTokenMs: 3_600_000,
        refreshTokenMs: 30 * 86_400_000,
      },
      toolSearch: {
        enabled: true,
        threshold: 20,
        windowPercent: 5,
        maxMatches: 10,
        models: {},
        embeddings: "auto",
        learn: false,
      },
      limits: { maxResultChars: 50_000, maxMessageBytes: 4_194_304, maxToolConcurrency: 10 },
      shell: {
        timeoutMs: 120_000,
        maxOutputBytes: 200_000,
        sandbox: "auto",
        network: true,
        memoryMb: 8_192,
        processes: 4_096,
        cpuSecs: 3_600,
        fileMb: 2_048,
      },
      web: {
        allowedHosts: [],
        allowedPorts: [],
        timeoutMs: 30_000,
        maxBytes: 10_485_760,
        search: { provider: null, url: null, apiKey: null, maxResults: 10, timeoutMs: 15_000 },
        chromiumPath: null,
        chromiumSandbox: true,
      },
      questions: { waitMs: 55_000, expireMs: 86_400_000 },
      retention: {
        auditMs: 90 * 86_400_000,
        questionsMs: 30 * 86_400_000,
        notificationsMs: 30 * 86_400_000,
        attachmentsMs: 90 * 86_400_000,
        tokensMs: 30 * 86_400_000,
        memoryHistoryMs: 365 * 86_400_000,
      },
      rules: [],
      approvals: { waitMs: 30_000, rejectedMs: 600_000, webhookUrl: null, webhookSecret: null },
      sync: { watch: true, intervalMs: 3_600_000 },
      telemetry: { otlpUrl: null, otlpHeaders: null },
      memory: { spaces: { shared: { read: ["*"], write: [] } }, embeddings: "auto" },
      knowledge: { labels: {}, embeddings: "auto" },
      embeddings: { provider: "local", url: null, model: null, apiKey: null, dimensions: null },
      stdio: { writes: true },
      defaultRules: true,
      trust: { allowHosts: [] },
      servers: [],
    });
    expect({ files, warnings }).toEqual({ files: [], warnings: [] });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
  });

  test("the environment wins over the project, the project over the user, the user over the defaults", async () => {
    await using folder = await settingsFolder(
      {
        "home/config.json": { port: 1, log_level: "warn", max_tool_concurrency: 8, max_result_chars: 4000 },
        "project/toolkeep.json": { max_tool_concurrency: 6, max_result_chars: 3000 },
      },
      { TOOLKEEP_PORT: "2", TOOLKEEP_MAX_TOOL_USE_CONCURRENCY: "4" },
    );
    const { settings, origins } = await loadSettings(folder.options);
    expect(settings).toMatchObject({
      port: 2,
      logLevel: "warn",
      limits: { maxToolConcurrency: 4, maxResultChars: 3000 },
    });
    expect(origins).toMatchObject({
      port: "env",
      log_level: "user",
      max_result_chars: "project",
      max_tool_concurrency: "env",
      host: "default",
    });
  });

  test("a server of the project replaces the user's of the same name", async () => {
    await using folder = await settingsFolder({
      "home/config.json": { mcpServers: { fs: { command: "user-fs" }, git: { command: "git-mcp" } } },
      "project/toolkeep.toml": '[mcp.fs]\ncommand = "project-fs"\n',
    });
    const { settings, origins } = await loadSettings(folder.options);
    expect(settings.servers.map(({ name, command, source }) => [name, command, source])).toEqual([
      ["fs", "project-fs", "project"],
      ["git", "git-mcp", "user"],
    ]);
    expect(origins).toMatchObject({ "mcp.fs": "project", "mcp.git": "user" });
  });

  test("the settings are frozen to the last leaf", async () => {
    await using folder = await settingsFolder({
      "home/config.json": { mcpServers: { fs: { command: "x", env: { A: "1" } } } },
    });
    const { settings } = await loadSettings(folder.options);
    expect(() => Object.assign(settings.servers[0]!.env, { B: "2" })).toThrow(TypeError);
    expect(() => Object.assign(settings.mcp, { enabled: false })).toThrow(TypeError);
  });

  test("TOOLKEEP_HOME says where the user's file is, ~/.toolkeep without it", async () => {
    await using folder = await settingsFolder({ "home/config.toml": "port = 7\n" });
    const { home: _home, ...options } = folder.options;
    const loaded = await loadSettings({ ...options, env: { TOOLKEEP_HOME: "../home" } });
    expect(loaded.settings).toMatchObject({ home: folder.home, port: 7 });
    expect(homeOf({}, "/")).toBe(join(homedir(), ".toolkeep"));
    expect(homeOf({ TOOLKEEP_HOME: "~/keep" }, "/")).toBe(join(homedir(), "keep"));
  });

  describe("a project file", () => {
    test("that is not trusted counts for nothing, not even its errors", async () => {
      await using folder = await settingsFolder({ "project/toolkeep.json": "{ broken" });
      const { settings, files, warnings } = await loadSettings({ ...folder.options, isTrusted: () => false });
      expect(settings.servers).toEqual([]);
      expect(files).toEqual([
        {
          path: join(folder.project, "toolkeep.json"),
          scope: "project",
          used: false,
          reason: "not trusted with this content",
        },
      ]);
      expect(warnings[0]?.message).toMatch(/toolkeep\.json: not used, .* run toolkeep trust in its folder$/);
    });

    test("is trusted by the hash of exactly the content that is read", async () => {
      await using folder = await settingsFolder({ "project/toolkeep.toml": "max_tool_concurrency = 3\n" });
      const trusted = await projectFile(folder.project);
      const isTrusted = (path: string, sha256: string) => path === trusted?.path && sha256 === trusted.sha256;
      const load = () => loadSettings({ ...folder.options, isTrusted });

      expect((await load()).settings.limits.maxToolConcurrency).toBe(3);
      await folder.write("project/toolkeep.toml", "max_tool_concurrency = 2\n");
      expect((await load()).settings.limits.maxToolConcurrency).toBe(10);
    });
  });

  test("two settings files in one place are an error that names both", async () => {
    await using folder = await settingsFolder({ "home/config.json": {}, "home/config.toml": "" });
    await expect(loadSettings(folder.options)).rejects.toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: expect.stringMatching(/config\.json: .*config\.toml/),
      }),
    );
  });

  test("a file over 1 MB is refused", async () => {
    await using folder = await settingsFolder({ "home/config.json": " ".repeat(1_000_001) });
    await expect(loadSettings(folder.options)).rejects.toThrow("expected at most 1000000 bytes, got 1000001");
  });

  test("a file that is no UTF-8 text is refused", async () => {
    await using folder = await settingsFolder();
    await writeFile(join(folder.home, "config.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(loadSettings(folder.options)).rejects.toThrow("expected UTF-8 text");
  });

  test("a byte order mark does not matter", async () => {
    await using folder = await settingsFolder({ "home/config.json": '\uFEFF{"port": 5}' });
    expect((await loadSettings(folder.options)).settings.port).toBe(5);
  });

  test("something unreadable is CONFIG_UNREADABLE", async () => {
    await using folder = await settingsFolder();
    await mkdir(join(folder.home, "config.json"));
    await expect(loadSettings(folder.options)).rejects.toThrow(
      expect.objectContaining({ code: "CONFIG_UNREADABLE", message: expect.stringContaining("config.json") }),
    );
  });
});

describe("checkFiles", () => {
  test("gives the problems and warnings of everything at once and does not throw", async () => {
    await using folder = await settingsFolder(
      {
        "home/config.json": '{\n  "port": "x",\n  "hots": 1\n}',
        "project/toolkeep.toml": "max_tool_concurrency = 0\n",
      },
      { TOOLKEEP_LOG_LEVEL: "loud" },
    );
    const { problems, warnings } = await checkFiles({ ...folder.options, isTrusted: () => false });
    expect(problems.map(({ file, line, key }) => [file, line, key])).toEqual([
      [join(folder.home, "config.json"), 2, "port"],
      [join(folder.project, "toolkeep.toml"), 1, "max_tool_concurrency"],
      [null, null, "TOOLKEEP_LOG_LEVEL"],
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/config\.json:3:3: hots: unknown key, ignored; did you mean "host"\?$/),
      expect.stringContaining("run toolkeep trust"),
    ]);
  });

  test("reports files that cannot be read beside the problems of the others", async () => {
    await using folder = await settingsFolder({ "project/toolkeep.json": { port: -1 } });
    await mkdir(join(folder.home, "config.toml"));
    const { problems } = await checkFiles(folder.options);
    expect(problems.map(({ file }) => file)).toEqual([
      join(folder.home, "config.toml"),
      join(folder.project, "toolkeep.json"),
    ]);
    expect(problems[0]?.message).toContain("expected a readable file");
  });
});
