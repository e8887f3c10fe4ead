import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddingServer } from "../../../support/embedding-server.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { testHub } from "../../../support/test-hub.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const KEY = "sk-canary-0123456789";
/** No word of a query is in a text. */
const SUBJECTS = ["dog puppy hound animals", "lorry van vehicles"];

test("a hub finds memories and documents by meaning through an endpoint, with a key of the vault", async () => {
  await using server = await embeddingServer(SUBJECTS, 64);
  await using folder = await tempHome();
  await mkdir(join(folder.path, "notes"));
  await writeFile(join(folder.path, "notes", "rex.md"), "# Rex\n\nA puppy that sleeps all day.\n");
  await writeFile(join(folder.path, "notes", "blue.md"), "# Blue\n\nThe lorry needs new tyres.\n");
  await using t = await testHub({
    settings: {
      embeddings: {
        ...{ provider: "openai", url: `${server.url}/v1`, model: "tiny", api_key: "{{secret:EMBED_KEY}}" },
      },
    },
  });
  await t.hub.vault.put("EMBED_KEY", KEY);
  const said = async (name: string, args: object) => JSON.stringify((await t.call(name, args)).structured);

  await t.call("memorize", { text: "Bella is our hound" });
  await waitUntil("the memory is found", async () =>
    (await said("recall", { query: "animals" })).includes("Bella"),
  );

  const { sync } = t.hub.knowledge;
  await sync.addSource({ name: "notes", kind: "folder", config: { path: join(folder.path, "notes") } });
  expect(await sync.sync({ access: { labels: null } })).toMatchObject({ skipped: false });
  await waitUntil("the document is found", async () =>
    (await said("search", { query: "animals" })).includes("puppy"),
  );
  expect(new Set(server.asked.map(({ path, authorization }) => `${path} ${authorization}`))).toEqual(
    new Set([`/v1/embeddings Bearer ${KEY}`]),
  );
  expect(server.asked.flatMap(({ input }) => input).join()).not.toContain("canary");
});

test.each([
  [{ provider: "off" }, "ok", "embeddings.provider off"],
  [{ provider: "ollama" }, "warning", "embeddings.model does not say which"],
])("a hub with %j goes by words, and health says why", async (embeddings, state, why) => {
  await using t = await testHub({ settings: { embeddings } });
  const outcome = await t.call("get_setup_health");
  const check = { name: "tool search", state, detail: expect.stringContaining(why) };
  expect(outcome.structured?.checks).toContainEqual(expect.objectContaining(check));
});
