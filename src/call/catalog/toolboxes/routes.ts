import { DONE, defineRoute, done, type Route } from "../../../contract/define-route.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import { nearest } from "../../../lib/nearest.ts";
import type { Catalog } from "../catalog.ts";
import * as shapes from "./contract.ts";

export interface ToolboxRouteDeps {
  readonly catalog: () => Catalog;
}

const MAX_NAMED = 10;

export function toolboxRoutes({ catalog }: ToolboxRouteDeps): readonly Route[] {
  const toolboxes = () => catalog().toolboxes;
  return [
    defineRoute({
      method: "GET",
      path: "/toolboxes",
      summary: "Lists the toolboxes",
      answer: shapes.toolboxList,
      handle: async () => ({ toolboxes: toolboxes().list() }),
    }),
    defineRoute({
      method: "GET",
      path: "/toolboxes/:name",
      summary: "Shows a toolbox",
      answer: shapes.toolboxAnswer,
      handle: async ({ params }) => ({ toolbox: toolboxes().get(params.name) }),
    }),
    defineRoute({
      method: "POST",
      path: "/toolboxes",
      summary: "Creates a toolbox",
      body: shapes.newToolbox,
      answer: shapes.toolboxAnswer,
      status: 201,
      async handle({ body: { name, allowUnknown, ...input } }) {
        if (allowUnknown === false) checkKnown(input.tools, catalog());
        return { toolbox: await toolboxes().create(name, input) };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/toolboxes/:name",
      summary: "Changes a toolbox",
      body: shapes.toolboxChangeInput,
      answer: shapes.toolboxAnswer,
      async handle({ params, body: { since, allowUnknown, ...change } }) {
        const before = toolboxes().get(params.name).tools;
        const added = (change.tools ?? []).filter((tool) => !before.includes(tool));
        if (allowUnknown === false) checkKnown(added, catalog());
        return { toolbox: await toolboxes().update(params.name, change, since) };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/toolboxes/:name",
      summary: "Deletes a toolbox",
      answer: done,
      async handle({ params }) {
        await toolboxes().delete(params.name);
        return DONE;
      },
    }),
  ];
}

/** Throws NOT_FOUND with the nearest name. Patterns may match nothing yet: their server may be added later. */
function checkKnown(tools: readonly string[], catalog: Catalog): void {
  const unknown = tools.filter(
    (tool) => tool !== "*" && !tool.includes(":") && catalog.get(tool) === undefined,
  );
  if (unknown.length === 0) return;
  const names = catalog.all().map(({ name }) => name);
  const described = unknown.slice(0, MAX_NAMED).map((tool) => {
    const guess = nearest(tool, names);
    return `${tool}${guess === undefined ? "" : ` (did you mean ${guess}?)`}`;
  });
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : "";
  throw new ToolkeepError("NOT_FOUND", `no tool is named ${described.join(", ")}${more}`, {
    remedy: "toolkeep tool list shows the names; --allow-unknown keeps them for a tool that comes later.",
  });
}
