import { describe, expect, it } from "vitest";
import { createBatchQuestion, splitIntoQuestions } from "../../../src/call/questions/batch-question.ts";
import type { QuestionRequest } from "../../../src/call/questions/question-request.ts";

const asking = (tool: string, answers?: readonly string[], args = "{}"): QuestionRequest => ({
  kind: "approval",
  agentId: "agt_one",
  agentName: "one",
  digest: tool,
  prompt: `May one call ${tool}?`,
  details: { tool, arguments: args, ...(answers && { answers }) },
});
const ALL = ["once", "conversation", "always", "reject"];

describe("a batch", () => {
  const answersOf = (...askings: QuestionRequest[]) => {
    let ids = 0;
    const newId = (prefix: string) => `${prefix}_${ids++}`;
    return createBatchQuestion(askings, { newId, now: 0, expiresAt: 1 }).visible.details.answers;
  };

  it("takes only the answers that every call of it takes", () => {
    expect(answersOf(asking("a", ALL), asking("b", ALL))).toEqual(ALL);
    expect(answersOf(asking("a", ALL), asking("resource:*", ["once", "reject"]))).toEqual(["once", "reject"]);
    expect(answersOf(asking("a", ALL), asking("b"))).toEqual(["once", "reject"]);
  });
});

describe("the calls of a batch", () => {
  const lengths = (...sizes: number[]) =>
    splitIntoQuestions(sizes.map((size, at) => asking(`t${at}`, ALL, "x".repeat(size)))).map(
      ({ length }) => length,
    );

  it("come in several questions where they are more, or longer, than anybody reads at once", () => {
    expect(lengths(1, 1)).toEqual([2]);
    expect(lengths(...Array(21).fill(1))).toEqual([11, 10]);
    expect(lengths(30_000, 30_000, 30_000, 1)).toEqual([2, 2]);
    expect(lengths(60_000, 60_000)).toEqual([1, 1]);
  });
});
