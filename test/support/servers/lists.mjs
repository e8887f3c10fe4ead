// Servers for everything that is listed, without an SDK in between: node lists.mjs <era> <behaviour> [argument]
import { appendFileSync } from "node:fs";
import { send, serve, text, tool } from "./rpc.mjs";

const [era, behaviour, argument] = process.argv.slice(2);
const never = () => undefined;
const refused = ({ id }) => void send({ id, error: { code: -32000, message: `no: ${argument}` } });

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: { listChanged: true },
  completions: {},
};
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

const resource = (name, more = {}) => ({ uri: `file:///${name}`, name, ...more });
const prompt = (name, more = {}) => ({ name, description: `The prompt ${name}.`, ...more });

const OFFERS = {
  "tools/list": () => ({ tools: [tool("echo")] }),
  "tools/call": ({ params }) => text(params.name),
  "resources/list": () => ({ resources: [resource("a.txt"), resource("b.txt")] }),
  "resources/templates/list": () => ({
    resourceTemplates: [{ uriTemplate: "file:///{path}", name: "files" }],
  }),
  "prompts/list": () => ({ prompts: [prompt("review", { arguments: [{ name: "path", required: true }] })] }),
  "resources/read": ({ params }) => ({ contents: [{ uri: params.uri, text: `content of ${params.uri}` }] }),
  "prompts/get": ({ params }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Review ${params.arguments.path}` } }],
  }),
  "completion/complete": ({ params }) => ({
    completion: { values: [`${params.argument.value}!`], total: 1, hasMore: false },
  }),
};

const paged =
  (field, make) =>
  ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    return { [field]: [make(page)], ...(page < 2 ? { nextCursor: String(page + 1) } : {}) };
  };

const behaviours = {
  "offers everything": () => publish(OFFERS),

  /**
   * Tells of single resources: its tool `touch` says that the resource `uri` changed, `followed` which ones it was asked to
   * tell about, `end` ends all subscriptions, `die` itself. It tells nothing about `file:///mute`.
   */
  "tells of resources"() {
    const followed = [];
    const follow = ({ id, params: { uri } }) => {
      if (uri === "file:///mute") return void send({ id, error: { code: -32602, message: "it is mute" } });
      followed.push(uri);
      return {};
    };
    const unfollow = ({ params: { uri } }) => {
      followed.splice(followed.indexOf(uri), 1);
      return {};
    };
    const asked = () => (era === "legacy" ? followed : [...filters.values()].flat());
    const tools = {
      touch: ({ uri }) => tellOfResource(uri),
      end: endSubscriptions,
      die: () => setTimeout(() => process.exit(1), 10),
    };
    publish(
      {
        ...OFFERS,
        "tools/list": () => ({ tools: [...Object.keys(tools), "followed"].map((name) => tool(name)) }),
        "tools/call": ({ params }) => {
          tools[params.name]?.(params.arguments);
          return text(JSON.stringify(asked().toSorted()));
        },
        "resources/subscribe": follow,
        "resources/unsubscribe": unfollow,
        "subscriptions/listen": subscribe,
        "notifications/cancelled": ({ params }) => void filters.delete(params.requestId),
      },
      { ...CAPABILITIES, resources: { subscribe: true }, tools: {}, prompts: {} },
    );
  },

  /** Has a tool with a user interface of its own (MCP Apps); `argument` is what that says. */
  "shows an app"() {
    const uri = "ui://chart/view";
    const mimeType = "text/html;profile=mcp-app";
    const _meta = { ui: { csp: { connectDomains: ["https://example.com"] } } };
    publish({
      ...OFFERS,
      "tools/list": () => ({ tools: [tool("draw", { _meta: { ui: { resourceUri: uri } } }), tool("other")] }),
      "resources/list": () => ({ resources: [{ uri, name: "chart", mimeType, _meta }, resource("a.txt")] }),
      "resources/read": ({ params }) => ({
        contents: [{ uri: params.uri, mimeType, text: `<p>${argument}</p>`, _meta }],
      }),
    });
  },

  /** Answers to everything it is asked with what it was asked, and asks for a name first where it can. */
  "asks first"() {
    const ask = ({ params }, answer) => {
      const { user } = params.inputResponses ?? {};
      if (user) return answer(`${user.content.name} (${params.requestState})`);
      const requested = { type: "object", properties: { name: { type: "string" } } };
      const form = { mode: "form", message: "Who?", requestedSchema: requested };
      const inputRequests = { user: { method: "elicitation/create", params: form } };
      return { resultType: "input_required", inputRequests, requestState: "kept" };
    };
    publish({
      ...OFFERS,
      "resources/read": (request) =>
        ask(request, (name) => ({ contents: [{ uri: request.params.uri, text: `for ${name}` }] })),
      "prompts/get": (request) =>
        ask(request, (name) => ({ messages: [{ role: "user", content: { type: "text", text: name } }] })),
    });
  },

  /** Answers nothing but says what it is asked to cancel, in the file `argument`. */
  "never answers"() {
    publish({
      ...OFFERS,
      "resources/read": ({ params }) => {
        const { progressToken } = params._meta;
        send({
          method: "notifications/progress",
          params: { progressToken, progress: 1, message: "reading" },
        });
      },
      "notifications/cancelled": () => appendFileSync(argument, "cancelled\n"),
    });
  },

  "refuses to be used": () =>
    publish({
      ...OFFERS,
      "resources/read": ({ id, params }) =>
        void send({ id, error: { code: -32002, message: "Resource not found", data: { uri: params.uri } } }),
      "prompts/get": refused,
      "completion/complete": undefined,
    }),

  "answers in another shape": () =>
    publish({ ...OFFERS, "resources/read": () => ({ contents: 7 }), "completion/complete": () => ({}) }),

  "offers in pages"() {
    publish({
      ...OFFERS,
      "resources/list": paged("resources", (page) => resource(`page ${page}`)),
      "resources/templates/list": paged("resourceTemplates", (page) => ({ uriTemplate: `x:${page}/{y}` })),
      "prompts/list": paged("prompts", (page) => prompt(`page ${page}`)),
    });
  },

  "offers badly"() {
    const huge = prompt("huge", { description: "z".repeat(100_000) });
    const deep = JSON.parse(`{"name":"deep","x":${"[".repeat(500)}${"]".repeat(500)}}`);
    publish({
      ...OFFERS,
      "resources/list": () => ({ resources: [null, { name: "no uri" }, resource("good"), resource("good")] }),
      "prompts/list": () => ({ prompts: [prompt("good"), prompt("nul\0"), huge, deep, 7] }),
    });
  },

  "fails to list prompts": () => publish({ ...OFFERS, "prompts/list": refused }),
  "hangs on listing prompts": () => publish({ ...OFFERS, "prompts/list": never }),
  "knows no templates": () => publish({ ...OFFERS, "resources/templates/list": undefined }),

  "tells a secret"() {
    const leaky = { description: `it is ${argument}`, arguments: [{ name: argument }] };
    publish({
      ...OFFERS,
      "resources/list": () => ({ resources: [resource("fine"), resource(argument)] }),
      "prompts/list": () => ({ prompts: [prompt("told", leaky)] }),
      "resources/read": () => ({ contents: [{ uri: "file:///fine", text: argument }] }),
      "prompts/get": refused,
    });
  },

  "lists tools badly"() {
    publish({
      ...OFFERS,
      "tools/list": () => ({ tools: [tool("good"), { name: 7 }, tool("odd", { inputSchema: 7 })] }),
    });
  },

  /** `argument`: JSON of the ttlMs of each page. */
  "lists for a while"() {
    const ttls = JSON.parse(argument);
    publish({
      ...OFFERS,
      "tools/list": ({ params }) => {
        const page = Number(params?.cursor ?? 0);
        const more = page + 1 < ttls.length ? { nextCursor: String(page + 1) } : {};
        return { tools: [tool(`page_${page}`)], ttlMs: ttls[page], ...more };
      },
    });
  },

  "lists no tools": () => publish({ ...OFFERS, "tools/list": () => ({ nothing: true }) }),

  /** A call of the tool named after a list announces that this list changed; `end` ends all subscriptions. */
  "announces changes"() {
    publish({
      ...OFFERS,
      "tools/call": ({ params }) => {
        if (params.name === "end") endSubscriptions();
        else announce(params.name);
        return text(params.name);
      },
      "subscriptions/listen": subscribe,
    });
  },

  /** Its call grows every list and announces it. */
  "grows its lists"() {
    let size = 1;
    const grown = (name) => Array.from({ length: size }, (_, index) => `${name}_${index}`);
    publish({
      ...OFFERS,
      "tools/list": () => ({ tools: grown("tool").map((name) => tool(name)) }),
      "resources/list": () => ({ resources: grown("file").map((name) => resource(name)) }),
      "prompts/list": () => ({ prompts: grown("prompt").map((name) => prompt(name)) }),
      "tools/call": () => {
        size++;
        for (const list of ["tools", "resources", "prompts"]) announce(list);
        return text("grown");
      },
      "subscriptions/listen": subscribe,
    });
  },

  /** Lists one more tool whenever it is asked, and says that a list holds for as long as `argument` says. */
  "lists more each time"() {
    let lists = 0;
    const more = () => Array.from({ length: ++lists }, (_, index) => tool(`tool_${index}`));
    publish({ ...OFFERS, "tools/list": () => ({ tools: more(), ttlMs: Number(argument) }) });
  },

  "refuses to announce": () => publish({ ...OFFERS, "subscriptions/listen": refused }),

  /** `argument`: how many tools, of about a kilobyte each, 2,000 a page. */
  "lists very many tools"() {
    const sentence = "It does something that takes a sentence of ordinary length to explain. ";
    const property = (name) => ({ type: "string", description: `What ${name} means. ${sentence}` });
    const properties = Object.fromEntries(
      ["a", "b", "c", "d", "e", "f"].map((name) => [name, property(name)]),
    );
    const all = Array.from({ length: Number(argument) }, (_, index) =>
      tool(`tool_${index}`, { description: sentence.repeat(4), inputSchema: { type: "object", properties } }),
    );
    publish({
      ...OFFERS,
      "tools/list": ({ params }) => {
        const start = Number(params?.cursor ?? 0);
        const end = start + 2000;
        return { tools: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) };
      },
    });
  },
};

const subscriptions = [];
/** The resources of each subscription. */
const filters = new Map();

function subscribe({ id, params }) {
  subscriptions.push(id);
  const _meta = { [SUBSCRIPTION]: id };
  const { resourceSubscriptions, ...lists } = params.notifications;
  const told = resourceSubscriptions?.filter((uri) => uri !== "file:///mute");
  if (told) filters.set(id, told);
  const notifications = { ...lists, ...(told ? { resourceSubscriptions: told } : {}) };
  send({ method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } });
}

function tellOfResource(uri) {
  const method = "notifications/resources/updated";
  if (era === "legacy") return send({ method, params: { uri } });
  for (const id of filters.keys()) send({ method, params: { uri, _meta: { [SUBSCRIPTION]: id } } });
}

function announce(list) {
  const method = `notifications/${list}/list_changed`;
  if (era === "legacy") return send({ method });
  for (const id of subscriptions) send({ method, params: { _meta: { [SUBSCRIPTION]: id } } });
}

function endSubscriptions() {
  filters.clear();
  for (const id of subscriptions.splice(0)) {
    send({ id, result: { resultType: "complete", _meta: { [SUBSCRIPTION]: id } } });
  }
}

/** In the era asked for; a modern server refuses `initialize`. */
function publish(methods, capabilities = CAPABILITIES) {
  if (era === "legacy") {
    return serve([], {
      initialize: ({ params }) => ({
        protocolVersion: params.protocolVersion,
        capabilities,
        serverInfo: { name: "lists", version: "1.0.0" },
        instructions: "Ask first.",
      }),
      ...methods,
    });
  }
  const complete = (method) => async (request) => {
    const result = await method(request);
    return result && { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result };
  };
  const discover = () => ({
    supportedVersions: ["2026-07-28"],
    capabilities,
    instructions: "Ask first.",
  });
  const modern = Object.entries({ "server/discover": discover, ...methods }).map(([name, method]) => [
    name,
    method && complete(method),
  ]);
  serve([], { initialize: undefined, ...Object.fromEntries(modern) });
}

behaviours[behaviour]();
