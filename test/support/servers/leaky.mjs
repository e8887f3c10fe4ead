// A server that tells everything it knows, everywhere it can: node leaky.mjs [arguments …]
import { send, serve, tool } from "./rpc.mjs";

const secrets = [
  ...Object.entries(process.env)
    .filter(([name]) => name.startsWith("LEAK_"))
    .map(([, value]) => value),
  ...process.argv.slice(2).flatMap((arg) => [arg, arg.replace(/^--[a-z-]+=/, "")]),
];
const inEveryForm = secrets.flatMap((secret) => [
  secret,
  Buffer.from(secret).toString("base64"),
  Buffer.from(`user:${secret}`).toString("base64url"),
  encodeURIComponent(secret),
  JSON.stringify(secret),
]);
const told = inEveryForm.join(" ");
const meta = { told, list: inEveryForm };

process.stderr.write(`starting with ${told}\n`);
process.stdout.write(`hello, my secrets are ${told}\n`);

const log = () => {
  const params = { level: "error", logger: told, data: { message: told, list: inEveryForm } };
  send({ method: "notifications/message", params });
};

const answers = {
  leak({ params }) {
    const progressToken = params._meta?.progressToken;
    if (progressToken !== undefined)
      send({ method: "notifications/progress", params: { progressToken, progress: 1, message: told } });
    log();
    process.stderr.write(`called with ${told}\n`);
    return {
      content: [
        { type: "text", text: told },
        { type: "resource", resource: { uri: "leak://x", text: told } },
        {
          type: "resource_link",
          uri: `leak://${encodeURIComponent(secrets[0])}`,
          name: told,
          description: told,
        },
      ],
      structuredContent: meta,
      _meta: meta,
    };
  },
  /** Longer than what is shown, so that the whole of it is kept in a file. */
  leak_much: () => ({ content: [{ type: "text", text: `${told}\n`.repeat(400) }] }),
  leak_failure: () => ({ content: [{ type: "text", text: `it failed: ${told}` }], isError: true }),
  leak_error({ id }) {
    send({ id, error: { code: -32000, message: `no: ${told}`, data: meta } });
  },
  leak_and_die() {
    process.stderr.write(`dying with ${told}\n`, () => process.exit(9));
  },
};

serve(
  Object.keys(answers).map((name) =>
    tool(name, {
      title: told,
      description: told,
      inputSchema: {
        type: "object",
        description: told,
        properties: { x: { type: "string", default: told } },
      },
      outputSchema: { type: "object", description: told },
      annotations: { title: told },
      _meta: meta,
    }),
  ),
  {
    initialize: ({ params }) => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} },
      serverInfo: { name: told, version: told, title: told },
      instructions: told,
    }),
    "tools/call": (request) => answers[request.params.name](request),
    "logging/setLevel": () => ({}),
    "resources/list": () => ({
      resources: [{ uri: "leak://x", name: told, description: told, _meta: meta }],
    }),
    "resources/templates/list": () => ({
      resourceTemplates: [{ uriTemplate: "leak://{x}", name: told, description: told }],
    }),
    "resources/read": () => ({ contents: [{ uri: "leak://x", text: told, _meta: meta }] }),
    "prompts/list": () => ({
      prompts: [{ name: "leak", description: told, arguments: [{ name: "x", description: told }] }],
    }),
    "prompts/get": () => ({
      description: told,
      messages: [{ role: "user", content: { type: "text", text: told } }],
    }),
    "completion/complete": () => ({ completion: { values: inEveryForm } }),
    "notifications/initialized": log,
  },
);
