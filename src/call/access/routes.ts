import { defineRoute, type Route } from "../../contract/define-route.ts";
import { describeToolboxContents, previewAccess } from "./access-preview.ts";
import * as shapes from "./contract.ts";
import { type AccessDeps, describeAgentTools } from "./effective-tools.ts";

export function accessRoutes(deps: AccessDeps): readonly Route[] {
  const { identity, catalog } = deps;
  return [
    defineRoute({
      method: "GET",
      path: "/agents/:name/tools",
      summary: "Shows what an agent sees, and where each grant comes from",
      answer: shapes.agentTools,
      handle: ({ params }) => describeAgentTools(identity.agent(params.name), deps),
    }),
    defineRoute({
      method: "GET",
      path: "/toolboxes/:name/tools",
      summary: "Shows what a toolbox gives, through which of its entries, and what that costs",
      answer: shapes.toolboxTools,
      async handle({ params }) {
        const { name, tools } = catalog().toolboxes.get(params.name);
        return { toolbox: name, ...(await describeToolboxContents(tools, deps)) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/access/preview",
      role: "viewer",
      summary: "Shows what a change of an agent or toolbox would give and take, and what it would cost",
      body: shapes.accessChange,
      answer: shapes.accessPreview,
      handle: ({ body }) => previewAccess(body, deps),
    }),
  ];
}
