import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import * as shapes from "./contract.ts";
import type { Plugins } from "./plugins.ts";

export function pluginRoutes(plugins: Plugins): readonly Route[] {
  const answer = (plugin: shapes.PluginView) => ({ plugin, log: plugins.log(plugin.name) });

  return [
    defineRoute({
      method: "GET",
      path: "/plugins",
      summary: "Lists the plugins",
      answer: shapes.pluginList,
      handle: async () => ({ plugins: await plugins.list() }),
    }),
    defineRoute({
      method: "GET",
      path: "/plugins/:name",
      summary: "Shows a plugin and what it may do",
      answer: shapes.pluginAnswer,
      handle: async ({ params }) => answer(await plugins.get(params.name)),
    }),
    defineRoute({
      method: "POST",
      path: "/plugins",
      summary: "Fetches a plugin from a folder or from npm; it stays disabled",
      body: shapes.newPlugin,
      answer: shapes.pluginAnswer,
      status: 201,
      handle: async ({ body: { kind, spec, ...named }, signal }) =>
        answer(await plugins.add({ kind, spec }, { ...named, signal })),
    }),
    defineRoute({
      method: "POST",
      path: "/plugins/:name/enable",
      summary: "Agrees to what a plugin declares, for exactly these files, and lets its tools be called",
      body: shapes.pluginAgreement,
      answer: shapes.pluginAnswer,
      handle: async ({ params, body }) => answer(await plugins.enable(params.name, body)),
    }),
    defineRoute({
      method: "POST",
      path: "/plugins/:name/disable",
      summary: "Takes a plugin out without forgetting it",
      answer: shapes.pluginAnswer,
      handle: async ({ params }) => answer(await plugins.disable(params.name)),
    }),
    defineRoute({
      method: "POST",
      path: "/plugins/:name/update",
      summary: "Fetches a plugin anew; where that brings anything else, it is disabled",
      answer: shapes.pluginAnswer,
      handle: async ({ params, signal }) => answer(await plugins.update(params.name, { signal })),
    }),
    defineRoute({
      method: "DELETE",
      path: "/plugins/:name",
      summary: "Removes a plugin and its files",
      answer: done,
      async handle({ params }) {
        await plugins.remove(params.name);
        return DONE;
      },
    }),
  ];
}
