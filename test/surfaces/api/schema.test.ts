import { expect, test } from "vitest";
import { compileSchema } from "../../../src/surfaces/api/schema.ts";
import { testApi } from "../../support/test-api.ts";

test("a schema is compiled when its route is asked for something, and what does not fit is told each time", () => {
  const broken = compileSchema({ schema: { type: "nothing" }, httpPart: "body", method: "POST", url: "/" });
  expect(() => broken({})).toThrow("type must be");

  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const bodies = compileSchema({ schema, httpPart: "body", method: "POST", url: "/" });
  expect([bodies({ n: 1 }), bodies.errors]).toEqual([true, null]);
  expect(bodies({ n: "1" })).toBe(false);
  expect(bodies.errors).toMatchObject([{ instancePath: "/n", keyword: "type" }]);
  expect([bodies({ n: 2 }), bodies.errors]).toEqual([true, null]);

  const query = { n: "1" };
  const queries = compileSchema({ schema, httpPart: "querystring", method: "GET", url: "/" });
  expect(queries(query)).toBe(true);
  expect(query).toEqual({ n: 1 });
});

test("the schemas of all routes compile", async () => {
  const parts = ["body", "querystring", "params", "headers"] as const;
  let compiled = 0;
  await using _api = await testApi({
    routes: (app) =>
      app.addHook("onRoute", ({ schema, url }) => {
        for (const httpPart of parts) {
          const part = schema?.[httpPart] as object | undefined;
          if (part === undefined) continue;
          expect(() => compileSchema({ schema: part, httpPart, method: "GET", url })({}), url).not.toThrow();
          compiled += 1;
        }
      }),
  });
  expect(compiled).toBeGreaterThan(100);
});
