import { OPERATOR } from "../../call/identity/identity.ts";
import type { Caller } from "../../contract/caller.ts";
import { defineRoute, type Route, type RouteActor } from "../../contract/define-route.ts";
import type { Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { toolOutcome } from "../../contract/tool-shapes.ts";
import * as shapes from "./contract.ts";
import type { Custom } from "./custom.ts";

export interface CustomRouteDeps {
  readonly custom: Custom;
  /** A person or program as a caller of tools. */
  readonly callerOf: (actor: RouteActor) => Caller;
  /** Makes a call of exactly this tool, whatever the catalogue has under its name. */
  readonly callExactly: (tool: Tool, call: ToolCall) => Promise<ToolOutcome>;
}

/** A tool is named by its slug or by `custom_<slug>`. */
export function customToolRoutes({ custom, callerOf, callExactly }: CustomRouteDeps): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/custom-tools",
      summary: "Lists the custom tools, enabled or not",
      answer: shapes.customToolList,
      async handle() {
        await custom.refresh();
        return { tools: custom.list(), problems: custom.problems() };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/custom-tools/:name",
      summary: "Shows a custom tool and what it asks for",
      answer: shapes.customToolAnswer,
      async handle({ params }) {
        await custom.refresh();
        return { tool: custom.get(params.name) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/custom-tools",
      summary: "Writes a new custom tool that works, to be changed; it is not enabled",
      body: shapes.newCustomTool,
      answer: shapes.customToolAnswer,
      status: 201,
      handle: async ({ body: { name, language = "sh" } }) => ({ tool: await custom.create(name, language) }),
    }),
    defineRoute({
      method: "POST",
      path: "/custom-tools/:name/enable",
      summary: "Enables a custom tool with exactly the content that was shown",
      body: shapes.customToolApproval,
      answer: shapes.customToolAnswer,
      handle: async ({ params, body: { sha256 } }) => ({
        tool: await custom.enable(params.name, { sha256, by: OPERATOR }),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/custom-tools/:name/disable",
      summary: "Disables a custom tool",
      answer: shapes.customToolAnswer,
      handle: async ({ params }) => ({ tool: await custom.disable(params.name) }),
    }),
    defineRoute({
      method: "POST",
      path: "/custom-tools/:name/try",
      summary: "Runs a custom tool as it is now, enabled or not, as the operator",
      body: shapes.customToolTrial,
      answer: toolOutcome,
      async handle({ params: { name }, body, by, signal }) {
        const tool = await custom.trial(name);
        const call = { name, arguments: body.arguments ?? {}, caller: callerOf(by), signal };
        return callExactly(tool, { ...call, via: "api" });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/custom-tools/:name",
      summary: "Disables a custom tool and puts its folder aside",
      answer: shapes.customToolRemoved,
      handle: async ({ params }) => ({ done: true as const, folder: await custom.remove(params.name) }),
    }),
  ];
}
