import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { inDeep, sampleOf } from "../support/length.ts";
import { remoteServer } from "../support/remote-server.ts";
import { TURNING } from "../support/turning.ts";

const HOSTILE = `<img src=x onerror="window.owned=true"><script>window.owned=true</script>\u202egnihton\u2066\u200b`;
const PUBLISHING = (file: string) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/publishing.mjs"), file],
});

describe.skipIf(withoutDashboard)("the dashboard in a hostile browser", () => {
  it("runs no script that was put into the page, and turns no text into markup", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open();
    const ran = await page.evaluate(`(async () => {
      const said = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => said.push(effectiveDirective));
      const script = document.createElement("script");
      try { script.textContent = "window.owned = true"; document.body.append(script); } catch (error) { said.push(error.name); }
      try { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.owned = true'>"); } catch (error) { said.push(error.name); }
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { owned: window.owned ?? false, said };
    })()`);
    expect(ran).toMatchObject({ owned: false });
    expect((ran as { said: string[] }).said.length).toBeGreaterThan(0);
  });

  it("does nothing for a page of another origin, though the browser is signed in", async () => {
    await using dashboard = await testDashboard();
    await using evil = await remoteServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>evil</h1>"),
    );
    const page = await dashboard.open();
    await page.goto(evil.url);
    const status = await page.evaluate(`fetch("${dashboard.url}/api/agents", {
      method: "POST", credentials: "include", mode: "no-cors",
      headers: { "content-type": "text/plain" }, body: JSON.stringify({ name: "planted" }),
    }).then(() => "sent", () => "refused")`);
    expect(["sent", "refused"]).toContain(status);
    expect(
      await page.evaluate(`fetch("${dashboard.url}/api/agents").then(() => "read", () => "refused")`),
    ).toBe("refused");
    expect(dashboard.hub.identity.agents().map(({ name }) => name)).not.toContain("planted");
  });

  it("refuses a change without the token of the session, from its own page", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open();
    const send = (headers: object) =>
      page.evaluate(
        `fetch("/api/agents", { method: "POST", headers: ${JSON.stringify({ "content-type": "application/json", ...headers })}, body: '{"name":"mine"}' }).then(({ status }) => status)`,
      );
    expect(await send({})).toBe(403);
    expect(await send({ "x-toolkeep": "guessed" })).toBe(403);
    expect(dashboard.hub.identity.agents().map(({ name }) => name)).not.toContain("mine");
  });

  it("shows what others wrote as text that turns nothing round, wherever names and notes stand", async () => {
    await using dashboard = await testDashboard({ agents: { worker: [] } });
    const { api, call } = dashboard;
    await api("PATCH", "/agents/worker", { description: HOSTILE });
    await api("POST", "/toolboxes", { name: "box", description: HOSTILE, tools: ["think"] });
    await api("POST", "/rules", { permission: `zz${HOSTILE.slice(0, 80)}`, action: "deny", note: HOSTILE });
    await api("POST", "/memories", { agent: "worker", key: `key ${HOSTILE.slice(0, 80)}`, text: HOSTILE });
    const file = join(dashboard.home, "published.json");
    const tools = [
      { name: "e\u202evil", title: HOSTILE, description: HOSTILE, inputSchema: { type: "object" } },
    ];
    await writeFile(file, JSON.stringify({ tools, instructions: HOSTILE }));
    await api("POST", "/servers", { name: "hostile", ...PUBLISHING(file), wait: true });
    await api("POST", "/servers", { name: "gone", command: `/nowhere/${HOSTILE.slice(0, 60)}`, wait: true });
    await call(`no_such ${HOSTILE}`, {}, "worker");
    await call("notify", { title: HOSTILE, body: HOSTILE }, "worker");
    await dashboard.hub.audit.flush();
    const page = await dashboard.open();
    const wrong: string[] = [];
    const look = async (place: string) => {
      const found = await page.evaluate<string[]>(TURNING);
      if (found.length > 0) wrong.push(`${place}: ${found.slice(0, 3).join(", ")}`);
    };
    const paths = [
      ...["/", "/agents", "/agents/worker", "/toolboxes", "/toolboxes/box", "/rules", "/audit", "/servers"],
      ...["/servers/gone", "/tools", "/notifications", "/knowledge/memories"],
    ];
    for (const path of sampleOf(paths, 3)) {
      await page.goto(dashboard.url + path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page
        .getByRole("status", { name: /^Loading/ })
        .first()
        .waitFor({ state: "detached" });
      await look(path);
    }
    await page.keyboard.press("Control+k");
    await page.keyboard.type("hostile");
    await page
      .getByRole("option", { name: /hostile/ })
      .first()
      .waitFor();
    await look("Ctrl-K");
    expect(wrong).toEqual([]);
    expect(await page.evaluate("window.owned ?? false")).toBe(false);
    expect(dashboard.complaints).toEqual([]);
  }, 120_000);

  inDeep("is shown in no frame", async () => {
    await using dashboard = await testDashboard();
    const { url } = dashboard;
    await using evil = await remoteServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<iframe src="${url}/"></iframe>`),
    );
    const page = await dashboard.open();
    await page.goto(evil.url);
    const frame = page.frames()[1];
    expect(frame?.url() ?? "").not.toBe(`${url}/`);
  });

  inDeep("ends on screen when its session does", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/servers");
    await page.getByText("No servers yet").waitFor();
    await dashboard.api("DELETE", "/people/owner/sessions");
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
  });
});
