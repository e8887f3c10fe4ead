import { expect, test } from "vitest";
import { readFixture, readOne } from "../../../../support/read-fixture.ts";

const message = (headers: string, body: string) =>
  `From: =?utf-8?Q?J=C3=BCrgen?= <j@example.test>\r\nTo: ann@example.test\r\nDate: Fri, 03 May 2024 10:00:00 +0200\r\n${headers}\r\n\r\n${body}`;
const shown = ({ passages }: { readonly passages: readonly { readonly text: string }[] }) =>
  passages.map(({ text }) => text).join("\n---\n");

test("a message has its people, subject, time and text in whatever it is written", async () => {
  const mail = await readOne(
    "a.eml",
    message(
      "Subject: =?iso-8859-1?B?R3L832U=?=\r\n =?utf-8?q?_an_alle?=\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable",
      "Das ist sch=F6n, und=\r\n lang.\r\n\r\n> zitiert",
    ),
    "eml",
  );
  expect(mail).toMatchObject({ title: "Grüße an alle", type: "email", documentAt: Date.UTC(2024, 4, 3, 8) });
  expect(mail.metadata).toEqual({ from: "Jürgen <j@example.test>", to: "ann@example.test" });
  expect(shown(mail)).toContain("Das ist schön, und lang.\n\n> zitiert");
});

test("of a message in several parts the plain text is read, attachments are named, and without it the HTML is", async () => {
  const plain =
    "--in\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nUGxhaW4gd29yZHM=\r\n";
  const html = "--in\r\nContent-Type: text/html\r\n\r\n<p>Rich <b>words</b><script>evil()</script>\r\n";
  const parts = (inner: string) =>
    message(
      'Subject: Parts\r\nContent-Type: multipart/mixed; boundary="out"',
      `--out\r\nContent-Type: multipart/alternative; boundary=in\r\n\r\n${inner}--in--\r\n--out\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf\r\n\r\nxxx\r\n--out--\r\n`,
    );
  const both = await readOne("a.eml", parts(plain + html), "eml");
  expect(shown(both)).toContain("Plain words");
  expect(shown(both)).not.toContain("Rich");
  expect(both.metadata).toMatchObject({ attachments: ["résumé.pdf"] });
  const rich = await readOne("a.eml", parts(html), "eml");
  expect(shown(rich)).toContain("Rich words");
  expect(shown(rich)).not.toContain("evil");
});

test("a mailbox gives each message once, by its id", async () => {
  const one = (id: string, text: string) =>
    `From j@example.test Fri May  3 10:00:00 2024\n${message(`Subject: ${text}\nMessage-ID: <${id}>`, `${text}\n>From here on\nFrom the text\n`).replaceAll("\r", "")}\n`;
  const { end, members } = await readFixture(
    "box.mbox",
    one("1@x", "First") + one("2@x", "Second") + one("1@x", "First") + one("1@x", "Other with the same id"),
    "mbox",
    "mail",
  );
  expect(end).toMatchObject({ kind: "members", problems: [] });
  expect(members.map(({ key, title }) => [key.length > 30 ? "hash" : key, title])).toEqual([
    ["box.mbox/1@x", "First"],
    ["box.mbox/2@x", "Second"],
    ["hash", "Other with the same id"],
  ]);
  expect(shown(members[0]!)).toContain("From the text");
});

test("a mailbox is gone on with behind messages that were given up, and says which they were", async () => {
  const box = Array.from({ length: 6 }, (_, at) => `From a@b\nMessage-ID: <${at}@x>\n\nText.\n\n`).join("");
  const resume = { from: 2, failed: new Map([[3, "it took too long"]]) };
  const { end, members } = await readFixture("box.mbox", box, "mbox", "mail", resume);
  expect(members.map(({ key }) => key)).toEqual(["2", "4", "5"].map((id) => `box.mbox/${id}@x`));
  expect(end).toMatchObject({
    ...{ kind: "members", givenUp: ["box.mbox/3@x"], problems: ["3@x: it took too long"] },
    hash: ((await readFixture("box.mbox", box, "mbox", "mail")).end as { hash: string }).hash,
  });
});

test("a mailbox of many megabytes is read piece by piece, and marks across pieces are found", async () => {
  const count = 3_000;
  const box = Array.from(
    { length: count },
    (_, at) =>
      `From a@b Fri May  3 10:00:00 2024\nSubject: Message ${at}\nMessage-ID: <${at}@x>\n\n${"words of a message ".repeat(60)}\n\n`,
  );
  const { members } = await readFixture("Inbox", box.join(""), "mbox", "mail");
  expect(members).toHaveLength(count);
  expect(members.at(-1)).toMatchObject({ key: `Inbox/${count - 1}@x`, title: `Message ${count - 1}` });
});

test("quoted-printable keeps what it says, and takes no longer for a run of spaces than for words", async () => {
  const quoted = async (body: string) =>
    shown(
      await readOne(
        "a.eml",
        message("Subject: Q\r\nContent-Transfer-Encoding: quoted-printable", body),
        "eml",
      ),
    );
  expect(await quoted("one =\r\ntwo=20\t\r\n=3D =e2=82=ac =G1 =4 =\n")).toContain("one two \n= € =G1 =4");
  expect(await quoted("cut =E2=8")).toContain("cut");
  // With a pattern that looks for the end of each run from each of its spaces this would take many minutes.
  const spaces = " ".repeat(400_000);
  expect(await quoted(`begin${spaces}end${spaces}=\n${spaces}\nlast`)).toContain("last");
});

test("what is no mailbox, and a message that nests without end, do no harm", async () => {
  const { end } = await readFixture("notes", "just text", "mbox", "mail");
  expect(end).toMatchObject({ kind: "failed", reason: "it is not a mailbox" });
  let deep = "text";
  for (let at = 0; at < 50; at++)
    deep = `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n${deep}\n--b${at}--\n`;
  const nested = await readOne("deep.eml", `Subject: Deep\n${deep}`, "eml");
  expect(nested.title).toBe("Deep");
  const many = `Subject: Many\nContent-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(50_000)}--b--\n`;
  expect((await readOne("many.eml", many, "eml")).title).toBe("Many");
});
