import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { ROLES } from "../../../src/contract/caller.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { allComponents } from "../../../src/surfaces/api/components.ts";
import type { OpenApiDocument, Operation } from "../../../src/surfaces/api/openapi.ts";
import { mountRpc } from "../../../src/surfaces/gateway/rpc.ts";
import { mountGateway } from "../../../src/surfaces/gateway/serve-mcp.ts";
import { inDeep, sampleOf } from "../../support/length.ts";
import { type TestApi, testApi } from "../../support/test-api.ts";

const METHODS = ["get", "post", "patch", "put", "delete"];
const DESCRIBED = /^(\/api\/|\/mcp(\/|$)|\/health$|\/metrics$|\/rpc$)/;

/** Everything that the daemon mounts, with the routes as Fastify has them. */
async function whole(): Promise<TestApi & { routes: Set<string> }> {
  const routes = new Set<string>();
  const api = await testApi({
    routes: (app) =>
      app.addHook("onRoute", ({ method, url }) => {
        for (const each of [method].flat()) if (each !== "HEAD") routes.add(`${each} ${url}`);
      }),
  });
  const { lists } = mountGateway(api.app, api.hub, { log: silentLog, version: "1.2.3" });
  mountRpc(api.app, api.hub, { log: silentLog, lists });
  await api.app.ready();
  return { ...api, routes };
}

async function document(api: TestApi): Promise<OpenApiDocument> {
  const { status, body } = await api.request("GET", "/api/openapi.json");
  expect(status).toBe(200);
  return body;
}

function operations({ paths }: OpenApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

describe("the OpenAPI document", () => {
  it("has every route of /api, /health, /metrics, /rpc and /mcp, and no other", async () => {
    await using api = await whole();
    const expected = [...api.routes]
      .filter((route) => DESCRIBED.test(route.slice(route.indexOf(" ") + 1)))
      .map((route) => route.replaceAll(/:(\w+)/g, "{$1}").replace("*", "{path}"));
    expect(expected).toEqual(expect.arrayContaining(["POST /rpc", "POST /mcp", "GET /api/events"]));
    const described = operations(await document(api)).map(([route]) => route);
    expect(described.sort()).toEqual(expected.sort());
  });

  it("has the structure that OpenAPI 3.1 wants", async () => {
    await using api = await whole();
    const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
    const isValid = ajv.compile(STRUCTURE);
    const found = await document(api);
    isValid(found);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it("says of every route what it does, takes and gives", async () => {
    await using api = await whole();
    for (const [route, operation] of operations(await document(api))) {
      expect(operation.summary, route).toMatch(/^[A-Z].{5,}[^.]$/);
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
      expect(parameters.filter((each) => each.in === "path").map(({ name }) => name)).toEqual(inPath);
      if (!route.includes(" /api/")) continue;
      const statuses = Object.keys(operation.responses).filter((status) => status !== "default");
      expect(statuses, route).toEqual([expect.stringMatching(/^20[01]$/)]);
    }
  });

  it("gives every operation an id of its own", async () => {
    await using api = await whole();
    const ids = operations(await document(api)).map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("getAgentsNameTools");
  });

  inDeep(
    "refers only to schemas that it has, has none that nothing refers to, and all of them compile",
    async () => {
      await using api = await whole();
      const found = await document(api);
      const text = JSON.stringify(found);
      const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);
      expect([...new Set(named)].sort()).toEqual(Object.keys(allComponents()).sort());

      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
      ajv.addVocabulary(["components"]);
      for (const schema of sampleOf(schemasIn(found.paths), 60)) {
        expect(() => ajv.compile({ ...schema, components: found.components })).not.toThrow();
      }
    },
  );

  it("holds the schemas that requests are checked with", async () => {
    await using api = await whole();
    const found = await document(api);
    const body = found.paths["/api/tasks"]?.post?.requestBody as {
      content: Record<string, { schema: { required: string[]; properties: object } }>;
    };
    expect(body.content["application/json"]!.schema).toMatchObject({
      required: ["agent", "title"],
      additionalProperties: false,
    });
    expect(found.paths["/api/calls"]?.get?.parameters).toContainEqual(
      expect.objectContaining({ name: "limit", in: "query", required: false }),
    );
  });

  it("is for admins, and says which routes are not", async () => {
    await using api = await whole();
    expect((await api.app.inject({ url: "/api/openapi.json" })).statusCode).toBe(401);
    const found = await document(api);
    expect(found.security).toEqual([{ adminToken: [] }, { session: [] }]);
    expect(found.paths["/health"]?.get?.security).toEqual([]);
    expect(found.paths["/rpc"]?.post?.security).toEqual([{ agentToken: [] }]);
    expect(found.paths["/metrics"]?.get?.security).toBeUndefined();
  });
});

/** Every schema of a request or an answer. */
function schemasIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "schema" ? [inner] : schemasIn(inner)));
}

const text = { type: "string", minLength: 1 };
const content = {
  type: "object",
  minProperties: 1,
  propertyNames: { pattern: "^[a-z]+/[a-z.+-]+$" },
  additionalProperties: {
    type: "object",
    required: ["schema"],
    additionalProperties: false,
    properties: { schema: { type: "object" } },
  },
};
const parameter = {
  type: "object",
  required: ["name", "in", "required", "schema"],
  additionalProperties: false,
  properties: {
    name: text,
    in: { enum: ["path", "query"] },
    required: { type: "boolean" },
    schema: { type: "object" },
  },
  if: { type: "object", properties: { in: { const: "path" } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: "object", properties: { required: { const: true } } },
};
const security = { type: "array", items: { type: "object", additionalProperties: { type: "array" } } };
const operation = {
  type: "object",
  required: ["operationId", "summary", "tags", "responses"],
  additionalProperties: false,
  properties: {
    operationId: { type: "string", pattern: "^[a-zA-Z0-9]+$" },
    summary: text,
    deprecated: { const: true },
    tags: { type: "array", items: text, minItems: 1 },
    security,
    "x-role": { enum: ROLES },
    parameters: { type: "array", items: parameter },
    requestBody: {
      type: "object",
      required: ["content"],
      additionalProperties: false,
      properties: { required: { type: "boolean" }, content },
    },
    responses: {
      type: "object",
      minProperties: 1,
      propertyNames: { pattern: "^([1-5](\\d\\d|XX)|default)$" },
      additionalProperties: {
        type: "object",
        required: ["description"],
        additionalProperties: false,
        properties: { description: text, content },
      },
    },
  },
};
/** As much of the specification as the document uses, and nothing beside it. */
const STRUCTURE = {
  type: "object",
  required: ["openapi", "info", "paths"],
  additionalProperties: false,
  properties: {
    openapi: { const: "3.1.0" },
    info: {
      type: "object",
      required: ["title", "version"],
      additionalProperties: false,
      properties: { title: text, version: text, description: text },
    },
    servers: {
      type: "array",
      items: { type: "object", required: ["url"], additionalProperties: false, properties: { url: text } },
    },
    security,
    tags: {
      type: "array",
      uniqueItems: true,
      items: { type: "object", required: ["name"], additionalProperties: false, properties: { name: text } },
    },
    paths: {
      type: "object",
      propertyNames: { pattern: "^(/([a-z.-]+|\\{\\w+\\}))+$" },
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: Object.fromEntries(METHODS.map((method) => [method, operation])),
      },
    },
    components: {
      type: "object",
      additionalProperties: false,
      properties: {
        schemas: {
          type: "object",
          propertyNames: { pattern: "^[a-zA-Z0-9._-]+$" },
          additionalProperties: { type: "object" },
        },
        securitySchemes: {
          type: "object",
          additionalProperties: {
            oneOf: [
              {
                type: "object",
                required: ["type", "scheme"],
                additionalProperties: false,
                properties: { type: { const: "http" }, scheme: { const: "bearer" }, description: text },
              },
              {
                type: "object",
                required: ["type", "in", "name"],
                additionalProperties: false,
                properties: {
                  type: { const: "apiKey" },
                  in: { enum: ["cookie", "header", "query"] },
                  name: text,
                  description: text,
                },
              },
            ],
          },
        },
      },
    },
  },
};
