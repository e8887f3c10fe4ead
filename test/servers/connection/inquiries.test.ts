import { expect, test } from "vitest";
import type { Inquiry } from "../../../src/contract/tool.ts";
import { type AskableCall, Inquiries } from "../../../src/servers/connection/inquiries.ts";
import { testCaller } from "../../support/tools.ts";

const { signal } = new AbortController();
const question: Inquiry = { method: "elicitation/create", params: { message: "sure?" } };

function callOf(conversation: string, answer?: string): AskableCall {
  const caller = testCaller({ conversation });
  if (answer === undefined) return { caller, signal };
  return {
    caller,
    signal,
    answering: { capabilities: { elicitation: {} }, answer: async () => ({ answer }) },
  };
}

test("an inquiry goes to the caller of the only conversation there was", async () => {
  const inquiries = new Inquiries();
  inquiries.begin(callOf("one", "yes"));
  expect(await inquiries.answer(question, signal)).toEqual({ answer: "yes" });
});

test("an inquiry without a call under way is refused, also right after one", async () => {
  const inquiries = new Inquiries();
  await expect(inquiries.answer(question, signal)).rejects.toThrow("no call is under way");
  const call = callOf("one", "yes");
  inquiries.begin(call);
  inquiries.end(call);
  await expect(inquiries.answer(question, signal)).rejects.toThrow("no call is under way");
});

test("once two conversations used a connection, nothing that comes over it is certain", async () => {
  const inquiries = new Inquiries();
  const earlier = callOf("one", "yes");
  inquiries.begin(earlier);
  inquiries.end(earlier);
  inquiries.begin(callOf("two", "no"));
  await expect(inquiries.answer(question, signal)).rejects.toThrow("uncertain");
  expect(inquiries.conversation).toBeUndefined();
});

test("the same conversation under another token or agent is another one", async () => {
  const inquiries = new Inquiries();
  inquiries.begin(callOf("one", "yes"));
  inquiries.begin({ ...callOf("one", "no"), caller: testCaller({ conversation: "one", tokenId: "tok_2" }) });
  await expect(inquiries.answer(question, signal)).rejects.toThrow("uncertain");
});

test("a caller is only asked what it can answer", async () => {
  const inquiries = new Inquiries();
  inquiries.begin(callOf("one"));
  await expect(inquiries.answer(question, signal)).rejects.toThrow("cannot be asked");
  inquiries.begin(callOf("one", "yes"));
  const sampling: Inquiry = { method: "sampling/createMessage", params: {} };
  await expect(inquiries.answer(sampling, signal)).rejects.toThrow("cannot be asked");
  expect(await inquiries.answer(question, signal)).toEqual({ answer: "yes" });
});

test("a call that answers for itself alone is asked while it is alone, and only then", async () => {
  const inquiries = new Inquiries();
  const alone = callOf("one", "mine");
  const exclusive = { ...alone, answering: { ...alone.answering!, isExclusive: true } };
  inquiries.begin(exclusive);
  expect(await inquiries.answer(question, signal)).toEqual({ answer: "mine" });

  const other = callOf("one", "another client's");
  inquiries.begin(other);
  expect(inquiries.findAnswerer(question)).toBeUndefined();
  await expect(inquiries.answer(question, signal)).rejects.toThrow("uncertain");

  inquiries.end(other);
  expect(inquiries.findAnswerer(question)).toBe(exclusive);
});

test("it says beforehand whom a question would reach", () => {
  const inquiries = new Inquiries();
  inquiries.begin(callOf("one"));
  expect(inquiries.findAnswerer(question)).toBeUndefined();
  const able = callOf("one", "yes");
  inquiries.begin(able);
  expect(inquiries.findAnswerer(question)).toBe(able);
  inquiries.begin(callOf("two", "yes"));
  expect(inquiries.findAnswerer(question)).toBeUndefined();
});
