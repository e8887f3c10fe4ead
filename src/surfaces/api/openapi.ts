import type { FastifyInstance, FastifySchema, RouteOptions } from "fastify";
import type { Role } from "../../contract/caller.ts";
import { allComponents, ref, type Schema } from "./components.ts";
import { roleFor } from "./route-role.ts";

declare module "fastify" {
  interface FastifySchema {
    /** What the route does, in one line. */
    summary?: string;
    /** It is left out in a later version. */
    deprecated?: true;
  }
}

export interface DescribedRoute {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: object;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: true;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  /** What whoever asks has to be, at least. */
  readonly "x-role"?: Role;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

/** Routes as they are registered from now on, those that the document is about; HEAD goes without saying. */
export function collectRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook("onRoute", ({ method, url, schema = {} }: RouteOptions) => {
    if (!isDescribed(url)) return;
    for (const each of [method].flat()) if (each !== "HEAD") routes.push({ method: each, url, schema });
  });
  return routes;
}

/** The routes as an OpenAPI 3.1 document, made of the schemas that they check requests with. */
export function openApi(
  routes: readonly DescribedRoute[],
  { version, url }: { readonly version: string; readonly url: string },
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, "{$1}").replace("*", "{path}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolkeep",
      version,
      description:
        "Everything that the command line and the dashboard do. Times are milliseconds since the epoch.",
    },
    servers: [{ url }],
    security: [{ adminToken: [] }, { session: [] }],
    tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: { schemas: allComponents(), securitySchemes: SECURITY_SCHEMES },
  };
}

function operation(route: DescribedRoute): Operation {
  const { body, deprecated } = route.schema;
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    operationId: operationId(route),
    summary: route.schema.summary ?? MCP_SUMMARIES[route.method] ?? "Speaks MCP",
    ...(deprecated && { deprecated }),
    tags: [tagOf(route)],
    ...securityOf(route.url),
    ...(isForAdmins(route.url) && { "x-role": roleFor(route.method, route.schema) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body as Schema) }),
    responses: responses(route),
  };
}

function pathParameters({ url, schema }: DescribedRoute): object[] {
  const described = propertiesOf(schema.params);
  return [...url.matchAll(/:(\w+)|\*/g)].map(([, name = "path"]) => ({
    name,
    in: "path",
    required: true,
    schema: described[name] ?? { type: "string" },
  }));
}

function queryParameters({ schema: { querystring } }: DescribedRoute): object[] {
  const required = (querystring as { required?: readonly string[] } | undefined)?.required ?? [];
  return Object.entries(propertiesOf(querystring)).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function propertiesOf(schema: unknown): Readonly<Record<string, object>> {
  return (schema as { properties?: Record<string, object> } | undefined)?.properties ?? {};
}

function requestBody(schema: Schema): object {
  const mayBeMissing = Array.isArray(schema.type) && schema.type.includes("null");
  return { required: !mayBeMissing, content: { "application/json": { schema } } };
}

function responses({ url, schema }: DescribedRoute): Operation["responses"] {
  const given = Object.entries((schema.response ?? {}) as Readonly<Record<string, Schema>>);
  const described = given.map(([status, answer]) => [
    status,
    {
      description: status === "201" ? "Created" : "What was asked for",
      content: answer.content ?? { "application/json": { schema: answer } },
    },
  ]);
  // Beside `/api` failures have forms of their own: JSON-RPC's, or none.
  const failure = url.startsWith("/api/")
    ? { description: "What went wrong", content: { "application/json": { schema: ref("ApiFailure") } } }
    : { description: "As the protocol spoken there has it" };
  return { ...Object.fromEntries(described), default: failure };
}

function operationId({ method, url }: DescribedRoute): string {
  const words = url
    .replace("*", "path")
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word !== "" && word !== "api");
  return [method.toLowerCase(), ...words.map((word) => word[0]!.toUpperCase() + word.slice(1))].join("");
}

function tagOf({ url }: DescribedRoute): string {
  const [first = "", second = ""] = url.slice(1).split("/");
  return (first === "api" ? second : first).replace(/\..*$/, "");
}

function securityOf(url: string): Pick<Operation, "security"> {
  if (url === "/health") return { security: [] };
  return isAgents(url) ? { security: [{ agentToken: [] }] } : {};
}

/** Where people and admin tokens are let in as far as their role goes. */
function isForAdmins(url: string): boolean {
  return url.startsWith("/api/") || url === "/metrics";
}

/** What agents come to, with tokens of their own. */
function isAgents(url: string): boolean {
  return url === "/rpc" || url === "/mcp" || url.startsWith("/mcp/");
}

function isDescribed(url: string): boolean {
  return url === "/health" || url === "/metrics" || url.startsWith("/api/") || isAgents(url);
}

const MCP_SUMMARIES: Readonly<Record<string, string>> = {
  POST: "Takes one message of MCP, of either era",
  GET: "Opens the stream of an MCP session",
  DELETE: "Ends an MCP session",
};

const SECURITY_SCHEMES = {
  adminToken: { type: "http", scheme: "bearer", description: "toolkeep token create --admin" },
  agentToken: { type: "http", scheme: "bearer", description: "toolkeep token create --agent NAME" },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "toolkeep_session",
    description:
      "toolkeep open. Everything but GET wants an Origin of this server, and as X-Toolkeep the csrfToken of GET /api/session. Where the address is https, the name begins with __Host-.",
  },
};
