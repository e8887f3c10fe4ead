// One server for every way of behaving: node fixture.mjs <behaviour> [argument]
import { appendFileSync, existsSync } from "node:fs";
import { send, serve, text, tool } from "./rpc.mjs";

const [behaviour, argument] = process.argv.slice(2);
const never = () => undefined;

const behaviours = {
  echoes() {
    serve([tool("echo")]);
  },

  "describes itself at length"() {
    serve([{ ...tool("echo"), description: "word ".repeat(100).trim() }]);
  },

  /** `argument`: a JSON list of tool names. */
  "lists tools"() {
    serve(JSON.parse(argument).map((name) => tool(name)));
  },

  /** Writes its pid to the file `argument` whenever it starts. */
  "counts its starts"() {
    appendFileSync(argument, `${process.pid}\n`);
    serve([tool("echo")]);
  },

  "dies during a call"() {
    serve([tool("die")], {
      "tools/call": () => {
        process.stderr.write(`fatal: ${process.env.FIXTURE_TOKEN ?? "out of cheese"}\n`);
        process.exit(7);
      },
    });
  },

  /** Exits at a call as long as there is the file `argument`. */
  "dies while a file is there"() {
    serve([tool("die"), tool("other")], {
      "tools/call": () => {
        if (existsSync(argument)) process.exit(7);
        return text("alive");
      },
    });
  },

  "dies during a call after half a message"() {
    serve([tool("die")], {
      "tools/call": ({ id }) => {
        process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`, () => process.exit(0));
      },
    });
  },

  "hangs on connect"() {
    process.stdin.resume();
    setInterval(() => {}, 1000);
  },

  "hangs on list"() {
    serve([], { "tools/list": never });
  },

  "hangs on a call"() {
    serve([tool("hang"), tool("cancelled")], {
      "tools/call": ({ id, params }) =>
        params.name === "hang" ? never(id) : text(JSON.stringify(cancelled)),
      "notifications/cancelled": ({ params }) => void cancelled.push(params.requestId),
    });
    const cancelled = [];
  },

  "exits at once"() {
    process.stderr.write("the configuration file is missing\n");
    process.exit(3);
  },

  "prints junk"() {
    process.stdout.write("Welcome!\n\n{not json}\n[1,2]\n");
    serve([tool("echo")], {
      "tools/call": () => {
        process.stdout.write("working on it...\n");
        return text("done");
      },
    });
  },

  /** As servers of old SDKs do. */
  "exits on an unknown method"() {
    serve([tool("echo")], { unknown: () => process.exit(1) });
  },

  "is silent on an unknown method"() {
    serve([tool("echo")], { unknown: never });
  },

  "sends a huge message"() {
    serve([tool("flood")], { "tools/call": () => text("x".repeat(Number(argument))) });
  },

  "floods stdout without a newline"() {
    serve([tool("flood")], {
      "tools/call": () => {
        const write = () => process.stdout.write("y".repeat(65536), () => setImmediate(write));
        write();
      },
    });
  },

  "changes its list"() {
    const tools = [tool("grow")];
    serve(() => tools, {
      "tools/call": () => {
        tools.push(tool(`grown_${tools.length}`));
        send({ method: "notifications/tools/list_changed" });
        return text("grown");
      },
    });
  },

  "lists in pages"() {
    serve([], {
      "tools/list": ({ params }) => {
        const page = Number(params?.cursor ?? 0);
        return { tools: [tool(`page_${page}`)], ...(page < 4 ? { nextCursor: String(page + 1) } : {}) };
      },
    });
  },

  "lists badly"() {
    const huge = tool("huge", { description: "z".repeat(300_000) });
    serve([tool("good"), null, { title: "nameless" }, tool("good"), huge, tool("odd", { inputSchema: 7 })]);
  },

  "lists one that is too large"() {
    serve([tool("good"), tool("huge", { description: "z".repeat(300_000) })]);
  },

  /** Beside a good tool, one for everything that a database or a stack does not take. */
  "lists what cannot be kept"() {
    const deep = `{"name":"deep","inputSchema":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const names = ["good", "nul\0", "\u001b[31mred", "half\ud800", "l".repeat(3000)];
    const tools = [deep, ...names.map((name) => JSON.stringify(tool(name)))];
    serve([], {
      "tools/list": ({ id }) =>
        void process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${tools}]}}\n`),
    });
  },

  "lists without end"() {
    let count = 0;
    const next = () => tool(`endless_${count++}`, { description: "z".repeat(100_000) });
    serve([], {
      "tools/list": () => ({ tools: Array.from({ length: 30 }, next), nextCursor: `after ${count}` }),
    });
  },

  "tells its secret"() {
    const secret = process.env.FIXTURE_TOKEN;
    const schema = { type: "object", description: secret, properties: { [secret]: { default: secret } } };
    serve([tool("told", { title: secret, description: secret, inputSchema: schema }), tool(secret)]);
  },

  /** Announces a change after each list; `lists` says how many there were. */
  "announces changes without end"() {
    let lists = 0;
    serve(
      () => {
        lists++;
        setTimeout(() => send({ method: "notifications/tools/list_changed" }), 1);
        return [tool("lists")];
      },
      { "tools/call": () => text(String(lists)) },
    );
  },

  "floods stdout with junk lines"() {
    const junk = "{j\n".repeat(20_000);
    const write = () => process.stdout.write(junk, () => setImmediate(write));
    serve([tool("flood")], { "tools/call": () => void write() });
  },

  refuses() {
    serve([tool("echo")], {
      "tools/call": ({ id }) => send({ id, error: { code: -32602, message: "a path is needed" } }),
    });
  },

  "lies about its output"() {
    serve(
      [
        tool("lie", {
          outputSchema: { type: "object", required: ["n"], properties: { n: { type: "number" } } },
        }),
      ],
      {
        "tools/call": ({ params }) => ({
          content: [{ type: "hologram", data: "?" }],
          structuredContent: { n: "not a number" },
          isError: params.arguments.fail === true,
          _meta: { trace: "abc" },
        }),
      },
    );
  },

  /** The argument `answer` is the whole result, as JSON. */
  "answers as told"() {
    serve([tool("answer")], { "tools/call": ({ params }) => JSON.parse(params.arguments.answer) });
  },

  "reports progress"() {
    serve([tool("work")], {
      "tools/call": ({ params }) => {
        const { progressToken } = params._meta;
        send({
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 2, message: "half" },
        });
        return text("done");
      },
    });
  },

  hints() {
    const annotated = (name, annotations) => tool(name, { annotations });
    serve([
      annotated("reads", { readOnlyHint: true, title: "Reads" }),
      annotated("destroys", { destructiveHint: true }),
      annotated("both", { readOnlyHint: true, destructiveHint: true }),
      tool("plain"),
    ]);
  },

  "shows its environment"() {
    serve([tool("env")], { "tools/call": () => text(JSON.stringify(process.env)) });
  },

  /** A child in a session of its own, whose pid goes to the file `argument`. */
  async "leaves children"() {
    const { spawn } = await import("node:child_process");
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    appendFileSync(argument, `${child.pid}\n${process.pid}\n`);
    serve([tool("echo")]);
  },
};

await behaviours[behaviour]();
