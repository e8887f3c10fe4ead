// Everything that the conformance suite calls on a server, by the names it calls it by. The same offer serves both
// eras: a tool asks with `ask`, and how that reaches the client is the business of fixture-server.mjs.
import { setTimeout as delay } from "node:timers/promises";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { TASK_TOOLS } from "./fixture-tasks.mjs";

/** A pixel, and no sound at all. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const STEP_MS = 50;

const text = (value) => ({ type: "text", text: value });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const says = (...content) => ({ content });
const object = (properties = {}, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
});
const string = { type: "string" };

const form = (message, requestedSchema) => ({
  method: "elicitation/create",
  params: { message, requestedSchema },
});
const sample = (prompt, maxTokens = 100) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: text(prompt) }], maxTokens },
});
const roots = { method: "roots/list", params: {} };
const askName = form("What is your name?", object({ name: string }));
const askOk = form("Please confirm", object({ ok: { type: "boolean" } }));

const OPTIONS = ["option1", "option2", "option3"];
const titled = (noun) => [
  { const: "value1", title: `First ${noun}` },
  { const: "value2", title: `Second ${noun}` },
  { const: "value3", title: `Third ${noun}` },
];

/**
 * The tools: `run(args, io)`, where `io.ask(requests, sealed)` gives the answers by key, `io.can(capability)` says
 * what the client declared as far as this era can know, `io.log` and `io.progress` notify, `io.announce(list)` tells
 * that a list changed, and `io.closeStream` ends the stream of the call where there is one.
 */
export const TOOLS = {
  test_simple_text: {
    run: () => says(text("This is a simple text response for testing.")),
  },
  test_image_content: { run: () => says(image) },
  test_audio_content: { run: () => says({ type: "audio", data: WAV, mimeType: "audio/wav" }) },
  test_embedded_resource: {
    run: () =>
      says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  },
  test_multiple_content_types: {
    run: () =>
      says(
        text("Multiple content types test:"),
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ),
  },
  test_tool_with_logging: {
    async run(_args, { log }) {
      await log("info", "Tool execution started");
      await delay(STEP_MS);
      await log("info", "Tool processing data");
      await delay(STEP_MS);
      await log("info", "Tool execution completed");
      return says(text("Logged three messages."));
    },
  },
  test_logging_tool: {
    async run(_args, { log }) {
      await log("info", "Logged for whoever asked for it");
      return says(text("Logged."));
    },
  },
  test_error_handling: {
    run: () => ({
      isError: true,
      content: [text("This tool intentionally returns an error for testing")],
    }),
  },
  test_tool_with_progress: {
    async run(_args, { progress }) {
      for (const value of [0, 50, 100]) {
        await progress(value, 100);
        await delay(STEP_MS);
      }
      return says(text("Reported progress three times."));
    },
  },
  test_sampling: {
    inputSchema: object({ prompt: string }),
    async run({ prompt }, { ask }) {
      const { sampled } = await ask({ sampled: sample(prompt) });
      return says(text(`LLM response: ${JSON.stringify(sampled.content)}`));
    },
  },
  test_elicitation: {
    inputSchema: object({ message: string }),
    async run({ message }, { ask }) {
      const user = object({
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      });
      const { answer } = await ask({ answer: form(message, user) });
      return says(text(`User response: ${JSON.stringify(answer)}`));
    },
  },
  test_elicitation_sep1034_defaults: {
    run: (_args, io) =>
      elicited(io, {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (_args, io) =>
      elicited(io, {
        untitledSingle: { type: "string", enum: OPTIONS },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
        titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
      }),
  },
  test_reconnection: {
    async run(_args, { closeStream }) {
      closeStream();
      await delay(2 * STEP_MS);
      return says(text("Answered after the stream was closed."));
    },
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "addressDef", ...object({ street: string, city: string }, []) } },
      properties: {
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: string,
        email: string,
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema, and nobody awaits a schema.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => says(text(JSON.stringify(args))),
  },
  test_x_mcp_header: {
    inputSchema: object({ region: { type: "string", "x-mcp-header": "Region" } }),
    run: ({ region }) => says(text(`region: ${region}`)),
  },
  test_missing_capability: {
    async run(_args, { ask }) {
      await ask({ sampled: sample("Is anybody there?") });
      return says(text("Sampled."));
    },
  },
  test_streaming_elicitation: { run: (_args, io) => elicited(io, { name: string }) },
  test_trigger_tool_change: { run: (_args, { announce }) => changed(announce, "tools") },
  test_trigger_prompt_change: { run: (_args, { announce }) => changed(announce, "prompts") },
  test_input_required_result_elicitation: {
    async run(_args, { ask }) {
      const { user_name } = await ask({ user_name: askName });
      return says(text(`Hello, ${user_name.content?.name}!`));
    },
  },
  test_input_required_result_sampling: {
    async run(_args, { ask }) {
      const { capital_question } = await ask({ capital_question: sample("What is the capital of France?") });
      return says(text(JSON.stringify(capital_question.content)));
    },
  },
  test_input_required_result_list_roots: {
    async run(_args, { ask }) {
      const { client_roots } = await ask({ client_roots: roots });
      return says(text(JSON.stringify(client_roots.roots)));
    },
  },
  test_input_required_result_request_state: { run: (_args, io) => confirmed(io) },
  test_input_required_result_tampered_state: { run: (_args, io) => confirmed(io) },
  test_input_required_result_multiple_inputs: {
    async run(_args, { ask }) {
      const requests = {
        user_name: askName,
        greeting: sample("Generate a greeting", 50),
        client_roots: roots,
      };
      return says(text(JSON.stringify(await ask(requests, true))));
    },
  },
  test_input_required_result_multi_round: {
    async run(_args, { ask }) {
      const { step1 } = await ask(
        { step1: form("Step 1: What is your name?", object({ name: string })) },
        true,
      );
      const { step2 } = await ask(
        { step2: form("Step 2: What is your favorite color?", object({ color: string })) },
        true,
      );
      return says(text(`${step1.content?.name} likes ${step2.content?.color}.`));
    },
  },
  test_input_required_result_capabilities: {
    async run(_args, { ask, can }) {
      // A legacy server knows only what its one connection declared, so it must take a refusal and go on.
      if (can("elicitation")) {
        try {
          return says(text(JSON.stringify(await ask({ user_name: askName }))));
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
        }
      }
      return says(text(JSON.stringify(await ask({ greeting: sample("Generate a greeting") }))));
    },
  },
  ...TASK_TOOLS,
};

const RESOURCES = [
  { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched-resource", description: "A text to subscribe to." },
];
const TEMPLATE = {
  uriTemplate: "test://template/{id}/data",
  name: "template",
  description: "Data by id.",
  mimeType: "application/json",
};
const TEMPLATE_URI = /^test:\/\/template\/([^/]+)\/data$/;

/** The prompts: `get(args, io)` gives the messages, with the same `io` as a tool's. */
const PROMPTS = {
  test_simple_prompt: { get: () => [user(text("This is a simple prompt for testing."))] },
  test_prompt_with_arguments: {
    arguments: [required("arg1", "First test argument"), required("arg2", "Second test argument")],
    get: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [required("resourceUri", "URI of the resource to embed")],
    get: ({ resourceUri }) => [
      user(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
      user(text("Please process the embedded resource above.")),
    ],
  },
  test_prompt_with_image: { get: () => [user(image), user(text("Please analyze the image above."))] },
  test_input_required_result_prompt: {
    async get(_args, { ask }) {
      const question = form("What context should the prompt use?", object({ context: string }));
      const { user_context } = await ask({ user_context: question });
      return [user(text(`Context: ${user_context.content?.context}`))];
    },
  },
};

/** `revision` makes a list that was announced as changed differ from the one before. */
export function listTools(revision) {
  return Object.entries(TOOLS).map(([name, { inputSchema = object() }]) => ({
    name,
    description: described(name, "test_trigger_tool_change", revision),
    inputSchema,
  }));
}

export async function callTool({ name, arguments: args = {} }, io) {
  if (!Object.hasOwn(TOOLS, name)) throw invalid(`unknown tool: ${name}`);
  return TOOLS[name].run(args, io);
}

export function listPrompts(revision) {
  return Object.entries(PROMPTS).map(([name, { arguments: args }]) => ({
    name,
    description: described(name, "test_simple_prompt", revision),
    ...(args && { arguments: args }),
  }));
}

export async function getPrompt({ name, arguments: args = {} }, io) {
  if (!Object.hasOwn(PROMPTS, name)) throw invalid(`unknown prompt: ${name}`);
  return { messages: await PROMPTS[name].get(args, io) };
}

export const listResources = () => RESOURCES;
export const listTemplates = () => [TEMPLATE];

export function readResource({ uri }) {
  const id = TEMPLATE_URI.exec(uri)?.[1];
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  if (id) return { contents: [{ uri, mimeType: "application/json", text: data }] };
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  if (!RESOURCES.some((resource) => resource.uri === uri))
    throw new ProtocolError(ProtocolErrorCode.ResourceNotFound, `Resource not found: ${uri}`, { uri });
  const content = "This is the content of the static text resource.";
  return { contents: [{ uri, mimeType: "text/plain", text: content }] };
}

export function complete({ argument }) {
  const values = ["paris", "park", "party", "test-value"].filter((value) => value.startsWith(argument.value));
  return { completion: { values, total: values.length, hasMore: false } };
}

async function elicited({ ask }, properties) {
  const { answer } = await ask({ answer: form("Please fill in the form", object(properties, [])) });
  return says(
    text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`),
  );
}

async function confirmed({ ask }) {
  const { confirm } = await ask({ confirm: askOk }, true);
  return says(text(`state-ok: ${JSON.stringify(confirm.content)}`));
}

async function changed(announce, list) {
  await announce(list);
  return says(text(`The list of ${list} has changed.`));
}

function described(name, changing, revision) {
  return `Conformance fixture ${name}${name === changing ? ` (revision ${revision})` : ""}.`;
}

function embedded(uri, mimeType, content) {
  return { type: "resource", resource: { uri, mimeType, text: content } };
}

function user(content) {
  return { role: "user", content };
}

function required(name, description) {
  return { name, description, required: true };
}

function invalid(message) {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
