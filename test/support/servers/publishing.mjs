// Publishes what a file holds at the moment that it is asked: node publishing.mjs FILE
// The file has `{tools, prompts?, instructions?, logging?}`; prompts of "fail" cannot be listed. A call of `announce` says that its tools changed.
import { readFileSync } from "node:fs";
import { send, serve, text } from "./rpc.mjs";

const published = () => JSON.parse(readFileSync(process.argv[2], "utf8"));

serve(() => published().tools, {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true }, prompts: {}, ...(published().logging && { logging: {} }) },
    serverInfo: { name: "published", version: "1.0.0" },
    ...(published().instructions && { instructions: published().instructions }),
  }),
  "logging/setLevel": () => ({}),
  "prompts/list": ({ id }) => {
    const { prompts = [] } = published();
    return prompts === "fail" ? send({ id, error: { code: -32603, message: "busy" } }) : { prompts };
  },
  "tools/call": ({ params }) => {
    if (params.name === "announce") send({ method: "notifications/tools/list_changed" });
    return text(`called ${params.name}`);
  },
});
