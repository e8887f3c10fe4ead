import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFileJob } from "../../../../src/features/knowledge/parse/read-file.ts";
import type { ReadDocument } from "../../../../src/features/knowledge/parse/read-job.ts";
import { scanFolder } from "../../../../src/features/knowledge/sources/scan-folder.ts";
import { openDatabaseSync } from "../../../../src/machine/db/sqlite/database-sync.ts";
import { makeZip } from "../../../support/make-zip.ts";
import { readFixture } from "../../../support/read-fixture.ts";
import { tempHome } from "../../../support/temp-home.ts";

const MANY = { maxFiles: 1_000, excluded: [] };

const about = (members: readonly ReadDocument[]) =>
  members.map(({ uri, title, tags, metadata }) => [uri, title, tags.join(), metadata.folder ?? ""]);

test("Chrome's bookmarks are read with their folders and times", async () => {
  const bookmark = (name: string, url: string) => ({
    type: "url",
    name,
    url,
    date_added: "13350000000000000",
  });
  const file = {
    roots: {
      bookmark_bar: {
        type: "folder",
        name: "Bookmarks bar",
        children: [
          bookmark("Badgers", "https://badgers.test/"),
          {
            type: "folder",
            name: "Work",
            children: [bookmark("", "https://work.test/x"), bookmark("Bad", "javascript:alert(1)")],
          },
        ],
      },
      other: { type: "folder", name: "Other", children: [bookmark("Twice", "https://badgers.test/")] },
    },
  };
  const { members } = await readFixture("Bookmarks", JSON.stringify(file), "bookmarks", "bookmarks");
  expect(about(members)).toEqual([
    ["https://badgers.test/", "Badgers", "", "Bookmarks bar"],
    ["https://work.test/x", "https://work.test/x", "", "Bookmarks bar / Work"],
  ]);
  expect(members[0]).toMatchObject({
    key: "Bookmarks/https://badgers.test/",
    type: "bookmark",
    documentAt: 13350000000000 - 11644473600000,
  });
});

test("what browsers export, as HTML and as JSON of Firefox, is read", async () => {
  const html = `<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Bookmarks</TITLE><DL><p>
    <DT><H3 ADD_DATE="1">Zoo &amp; more</H3><DL><p><DT><A HREF="https://a.test/?x=1&amp;y=2" ADD_DATE="1700000000" TAGS="One,two">A &lt;b&gt;</A></DL><p>
    <DT><A HREF="https://c.test/">C</A></DL>`;
  expect(about((await readFixture("b.html", html, "bookmarks", "bookmarks")).members)).toEqual([
    ["https://a.test/?x=1&y=2", "A <b>", "one,two", "Zoo & more"],
    ["https://c.test/", "C", "", ""],
  ]);
  const json = {
    root: "placesRoot",
    children: [
      {
        title: "menu",
        children: [
          { title: "A\ud800", uri: "https://a.test/", tags: "x,y", dateAdded: 1_700_000_000_000_000 },
        ],
      },
    ],
  };
  const { members } = await readFixture("b.json", JSON.stringify(json), "bookmarks", "bookmarks");
  expect(about(members)).toEqual([["https://a.test/", "A\ufffd", "x,y", "menu"]]);
  expect(members[0]!.documentAt).toBe(1_700_000_000_000);
  const { end } = await readFixture("b.html", "<p>no bookmarks", "bookmarks", "bookmarks");
  expect(end).toMatchObject({ kind: "failed", reason: expect.stringContaining("no bookmarks") });
});

test("Firefox' own database is read while Firefox has it open, and nothing is left beside it", async () => {
  await using folder = await tempHome();
  const path = join(folder.path, "places.sqlite");
  const database = await openDatabaseSync(path);
  database.exec(`pragma journal_mode = wal;
    create table moz_places (id integer primary key, url text, description text);
    create table moz_bookmarks (id integer primary key, type integer, fk integer, parent integer, title text, dateAdded integer);
    insert into moz_places values (1, 'https://badgers.test/', 'All about them'), (2, 'https://other.test/', null);
    insert into moz_bookmarks values (1, 2, null, 0, '', 0), (2, 2, null, 1, 'menu', 0), (3, 2, null, 2, 'Zoo', 0), (4, 2, null, 1, 'tags', 0),
      (5, 1, 1, 3, 'Badgers', 1700000000000000), (6, 1, 2, 2, 'Other', null), (7, 2, null, 4, 'Night', 0), (8, 1, 1, 7, null, 0);
    begin exclusive; update moz_places set description = 'x' where id = 2;`);
  const members: ReadDocument[] = [];
  const plan = { kind: "bookmarks", root: folder.path, maxFileBytes: 1_000_000_000 } as const;
  const job = { path, key: "places.sqlite/", type: "bookmarks", modifiedAt: 0, size: 0, plan } as const;
  const end = await readFileJob(job, { onMembers: async (batch) => void members.push(...batch) });
  // Nearly everything lies in the journal still: a change there is a change.
  const [file, journal] = [await stat(path), await stat(`${path}-wal`)];
  expect(journal.size).toBeGreaterThan(0);
  expect(end).toMatchObject({ kind: "members", size: file.size + journal.size });
  const [found] = scanFolder({
    ...plan,
    isFile: false,
    ignore: [],
    gitignore: false,
    hidden: false,
    ...MANY,
  });
  expect(found).toMatchObject({ kind: "file", size: file.size + journal.size });
  expect(about(members)).toEqual([
    ["https://badgers.test/", "Badgers", "night", "Zoo"],
    ["https://other.test/", "Other", "", ""],
  ]);
  expect(members[0]!.passages[0]!.text).toContain("All about them");
  database.exec("rollback");
  database.close();
  await writeFile(path, "SQLite format 3\0 and nothing more");
  expect(await readFileJob(job, { onMembers: async () => {} })).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("Firefox"),
  });
});

const ID = "0123456789abcdef0123456789abcdef";

test("an export of Notion gives its pages and tables without ids, also out of archives in it", async () => {
  const inner = makeZip({
    [`Home ${ID}.md`]: "# Home\n\nWelcome, badger.",
    [`Home ${ID}/Tasks ${ID}.csv`]: "Name,Done\nDig,Yes\n",
    [`Home ${ID}/Untitled ${ID}.html`]: "<title>Rich page</title><h1>Rich</h1><p>Text",
    "picture.png": "x",
  });
  const { members, end } = await readFixture(
    "export.zip",
    makeZip({ "Part-1.zip": inner, "readme.txt": "hello" }),
    "notion-zip",
    "notion",
  );
  expect(end).toMatchObject({ kind: "members", problems: [] });
  expect(members.map(({ key, title, type, metadata }) => [key, title, type, metadata.folder ?? ""])).toEqual([
    [`export.zip/Home ${ID}.md`, "Home", "page", ""],
    [`export.zip/Home ${ID}/Tasks ${ID}.csv`, "Tasks", "csv", "Home"],
    [`export.zip/Home ${ID}/Untitled ${ID}.html`, "Rich page", "page", "Home"],
    ["export.zip/readme.txt", "readme", "text", ""],
  ]);
});

test("of an archive that unpacks to more than it should the rest is read", async () => {
  const bomb = Buffer.alloc(64 * 1024 * 1024);
  for (const claim of [undefined, 10]) {
    const archive = makeZip({ "bomb.md": bomb, "good.md": "# Good" }, claim);
    const { members, end } = await readFixture("export.zip", archive, "notion-zip", "notion");
    expect(end).toMatchObject({
      kind: "members",
      problems: [expect.stringContaining("bomb.md: a file in it has more than")],
    });
    expect(members.map(({ title }) => title)).toEqual(["Good"]);
  }
  let nested: Uint8Array = makeZip({ "deep.md": "# Deep" });
  for (let depth = 0; depth < 10; depth++) nested = makeZip({ "inner.zip": nested });
  const { end } = await readFixture("export.zip", nested, "notion-zip", "notion");
  expect(end).toMatchObject({ problems: [expect.stringContaining("deep")] });
  for (const broken of ["PK\u0003\u0004 and nothing more", "", makeZip({ "a.md": "x" }).subarray(10)])
    expect((await readFixture("export.zip", broken, "notion-zip", "notion")).end).toMatchObject({
      kind: "failed",
    });
});
