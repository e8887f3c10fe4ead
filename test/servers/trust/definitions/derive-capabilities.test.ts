import { expect, test } from "vitest";
import type { Capability } from "../../../../src/contract/tool.ts";
import { deriveCapabilities } from "../../../../src/servers/trust/definitions/derive-capabilities.ts";
import { LABELLED_TOOLS, type LabelledTool } from "./labelled-tools.ts";

function derived(
  { name, description, parameters }: Omit<LabelledTool, "can">,
  annotations = {},
  trusted = false,
) {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, said]) => [key, { type: "string", description: said }]),
  );
  return deriveCapabilities(
    { name, description, inputSchema: { type: "object", properties }, annotations },
    trusted,
  );
}

const READ = { name: "list_directory", description: "Lists a folder.", parameters: { path: "" } };
const WRITE = { name: "write_file", description: "Writes.", parameters: { path: "" } };
const FETCH = { name: "fetch", description: "Gets a page.", parameters: { url: "" } };
const PLAIN = { name: "add", description: "Adds.", parameters: { a: "" } };

test("what the labelled tools can do is found, and hardly anything that they cannot", () => {
  const missed: string[] = [];
  const wrong: string[] = [];
  for (const tool of LABELLED_TOOLS) {
    const found = derived(tool);
    const lines = (list: readonly Capability[]) => list.map((one) => `${tool.name}: ${one}`);
    missed.push(...lines(tool.can.filter((one) => !found.includes(one))));
    wrong.push(...lines(found.filter((one) => !tool.can.includes(one))));
  }
  // Recall 56 of 56, precision 56 of 58.
  expect(LABELLED_TOOLS.flatMap(({ can }) => can)).toHaveLength(56);
  expect({ missed, wrong }).toEqual({
    missed: [],
    wrong: ["rotate_key: net", "validate_email_format: net"],
  });
});

test("hints that add are believed from anybody", () => {
  expect(derived(PLAIN, { openWorldHint: true })).toEqual(["net"]);
  expect(derived(READ, { destructiveHint: true })).toContain("fs.write");
});

test("hints that take away are believed of trusted servers only", () => {
  expect(derived(WRITE, { readOnlyHint: true }, false)).toContain("fs.write");
  expect(derived(WRITE, { readOnlyHint: true }, true)).not.toContain("fs.write");
  expect(derived(FETCH, { openWorldHint: false }, false)).toEqual(["net"]);
  expect(derived(FETCH, { openWorldHint: false }, true)).toEqual([]);
});

test("names are read as they are said, and parameters inside others count", () => {
  expect(derived({ ...PLAIN, name: "executeShellCommand" })).toEqual(["shell"]);
  const inputSchema = {
    type: "object",
    properties: { params: { type: "object", properties: { targetUrl: { type: "string" } } } },
  };
  expect(deriveCapabilities({ name: "go", description: "", inputSchema, annotations: {} }, false)).toEqual([
    "net",
  ]);
});

test("what is no schema says nothing", () => {
  expect(deriveCapabilities({ name: "x", description: "", inputSchema: 7, annotations: {} }, false)).toEqual(
    [],
  );
});
