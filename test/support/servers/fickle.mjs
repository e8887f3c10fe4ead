// Lists other tools than before, or other than it has: node fickle.mjs
import { send, serve, text, tool } from "./rpc.mjs";

const schema = (type) => ({ type: "object", properties: { x: { type } }, required: ["x"] });
const listed = new Map(
  [
    tool("change"),
    tool("slow"),
    tool("goes"),
    tool("turns", { inputSchema: schema("string") }),
    tool("absent"),
    tool("broken", { inputSchema: { type: "object", properties: { x: { type: "no such type" } } } }),
    tool("circular", { inputSchema: { type: "object", properties: { x: { $ref: "#/definitions/none" } } } }),
    tool("remote", { inputSchema: { type: "object", $ref: "http://127.0.0.1:1/schema.json" } }),
    tool("odd", { inputSchema: "any" }),
    tool("choosy", { inputSchema: { type: "object" } }),
    tool("boastful", {
      outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    }),
  ].map((one) => [one.name, one]),
);

const calls = {
  /** One tool comes, one goes, one wants something else. */
  change() {
    listed.delete("goes");
    listed.set("comes", tool("comes"));
    listed.set("turns", tool("turns", { inputSchema: schema("number") }));
    send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
  async slow({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return text("slow, but there");
  },
  choosy: ({ secret }) => (secret ? text("fine") : { isError: true, ...text("secret is required") }),
  boastful: () => ({ content: [{ type: "text", text: "none" }], structuredContent: { n: "many" } }),
};

serve(() => [...listed.values()], {
  "tools/call": ({ id, params: { name, arguments: args } }) => {
    if (name === "absent") return send({ id, error: { code: -32602, message: "Tool absent not found" } });
    return calls[name] ? calls[name](args) : text(`${name} ${JSON.stringify(args)}`);
  },
});
