import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createHmacSha256 } from "../../src/lib/hmac.ts";

const nodes = (key: Uint8Array, text: string) =>
  createHmac("sha256", key).update(text, "utf8").digest("base64url");

test("codes are those of RFC 4231", () => {
  const code = (key: Buffer, text: string) =>
    Buffer.from(createHmacSha256(key)(text), "base64url").toString("hex");
  expect(code(Buffer.alloc(20, 0x0b), "Hi There")).toBe(
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  );
  expect(code(Buffer.from("Jefe"), "what do ya want for nothing?")).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
  expect(code(Buffer.alloc(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First")).toBe(
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  );
});

test("codes are those of node:crypto, whatever the key and the text", () => {
  for (const keyLength of [1, 32, 63, 64, 65, 200]) {
    const key = randomBytes(keyLength);
    const code = createHmacSha256(key);
    for (const length of [0, 1, 55, 64, 500, 5_461, 5_462, 16_383, 16_385, 40_000]) {
      for (const letter of ["x", "é", "日", "😀", "\0", "\ud800"]) {
        const text = letter.repeat(length);
        expect(code(text), `${keyLength} ${length} ${letter}`).toBe(nodes(key, text));
      }
    }
  }
});

test("a code says nothing about the text before", () => {
  const code = createHmacSha256(randomBytes(32));
  const short = code("short");
  code("a longer text than the one that comes again");
  expect(code("short")).toBe(short);
});
