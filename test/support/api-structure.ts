import type { OpenApiDocument, Operation } from "../../src/surfaces/api/openapi.ts";
import { schemaText } from "./schema-text.ts";

type Bodies = Readonly<Record<string, { readonly schema: unknown }>>;
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: unknown;
}

const REQUEST = { hasBounds: true };
const ANSWER = { hasBounds: false };

/** What programs that use the API depend on, without the prose: routes, roles, parameters, requests, answers, schemas. */
export function apiStructure({ paths, components, security }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => operationText(path, method, operation)),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${name} = ${schemaText(schema, ANSWER)}`,
  );
  return [
    `security ${JSON.stringify(security)}`,
    `schemes ${Object.keys(components.securitySchemes).join(" ")}`,
    ...operations.sort(),
    ...schemas.sort(),
    "",
  ].join("\n");
}

function operationText(path: string, method: string, operation: Operation): string {
  const { operationId, parameters = [], requestBody, responses, security, deprecated } = operation;
  const body = requestBody as { required: boolean; content: Bodies } | undefined;
  return [
    `${path} ${method.toUpperCase()}  ${operationId}  role ${operation["x-role"] ?? "none"}${security ? `  security ${JSON.stringify(security)}` : ""}${deprecated ? "  deprecated" : ""}`,
    ...(parameters as Parameter[])
      .map(
        (each) =>
          `  ${each.in} ${each.name}${each.required ? "" : "?"}: ${schemaText(each.schema, REQUEST, "  ")}`,
      )
      .sort(),
    ...(body ? bodyLines(`takes${body.required ? "" : "?"}`, body.content, REQUEST) : []),
    ...Object.entries(responses).flatMap(([status, answer]) =>
      bodyLines(status, (answer as { content?: Bodies }).content ?? {}, ANSWER),
    ),
  ].join("\n");
}

function bodyLines(what: string, content: Bodies, options: typeof REQUEST): string[] {
  const given = Object.entries(content);
  if (given.length === 0) return [`  ${what}`];
  return given.map(([type, { schema }]) => `  ${what} ${type} ${schemaText(schema, options, "  ")}`);
}
