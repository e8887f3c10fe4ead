import { expect, test } from "vitest";
import {
  buildCompletionRequest,
  buildPromptRequest,
  buildReadRequest,
} from "../../../src/servers/lists/server-offers.ts";

const ARGUMENT = { name: "path", value: "a" };
const REF = { type: "ref/prompt", name: "review" } as const;

test("what is asked is said in the words of the protocol", () => {
  expect(buildReadRequest("file:///a")).toMatchObject({
    method: "resources/read",
    params: { uri: "file:///a" },
  });
  expect(buildPromptRequest("review", { path: "x" })).toMatchObject({
    method: "prompts/get",
    params: { name: "review", arguments: { path: "x" } },
  });
  expect(buildCompletionRequest({ ref: REF, argument: ARGUMENT })).toMatchObject({
    method: "completion/complete",
    params: { ref: REF, argument: ARGUMENT },
  });
});

test("an answer is passed on whole, but for how it is to be taken", () => {
  const answer = { contents: [{ uri: "x", text: "y", odd: 1 }], ttlMs: 5, _meta: { a: 1 } };
  expect(buildReadRequest("x").toResult({ ...answer, resultType: "complete" })).toEqual({
    kind: "output",
    content: [],
    structured: answer,
  });
});

test("an answer of another shape is a failure that says so", () => {
  expect(buildReadRequest("x").toResult({ contents: 7 })).toEqual({
    kind: "failed",
    message: "the server sent an answer without contents",
  });
  expect(buildPromptRequest("x", {}).toResult({})).toMatchObject({ kind: "failed" });
  expect(buildCompletionRequest({ ref: REF, argument: ARGUMENT }).toResult({ completion: {} })).toMatchObject(
    {
      kind: "failed",
    },
  );
});

test("at most 100 values are completed", () => {
  const values = [7, ...Array.from({ length: 150 }, (_, index) => `v${index}`)];
  const result = buildCompletionRequest({ ref: REF, argument: ARGUMENT }).toResult({
    completion: { values, total: 151 },
  });
  expect(result).toMatchObject({
    structured: { completion: { values: values.slice(1, 101), total: 151 } },
  });
});
