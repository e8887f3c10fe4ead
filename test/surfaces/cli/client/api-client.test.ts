import { expect, it } from "vitest";
import { ERRORS, ToolkeepError } from "../../../../src/contract/errors.ts";
import { readAnswer } from "../../../../src/surfaces/cli/client/api-client.ts";

function thrownFor(status: number, body: unknown): unknown {
  try {
    return readAnswer(status, typeof body === "string" ? body : JSON.stringify(body));
  } catch (error) {
    return error;
  }
}

it("a failure keeps the remedy that the API gave, where it differs from that of its code", () => {
  const error = { code: "FORBIDDEN", message: "no", remedy: "Do this instead.", details: { a: 1 } };
  const thrown = thrownFor(403, { error });
  expect(thrown).toBeInstanceOf(ToolkeepError);
  expect(thrown).toMatchObject(error);
});

it("a failure without a remedy has that of its code, and one of an unknown code is INTERNAL", () => {
  expect(thrownFor(404, { error: { code: "NOT_FOUND", message: "m" } })).toMatchObject({
    remedy: ERRORS.NOT_FOUND.remedy,
  });
  expect(thrownFor(418, { error: { code: "TEAPOT", message: "m", remedy: 7 } })).toMatchObject({
    code: "INTERNAL",
    remedy: ERRORS.INTERNAL.remedy,
  });
  expect(thrownFor(502, "<html>")).toMatchObject({ message: "the daemon answered with status 502" });
});
