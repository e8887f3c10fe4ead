// Notes the order in which calls reach it, and how many it has at once: node working.mjs
import { send, serve, text, tool } from "./rpc.mjs";

const order = [];
const cancelled = [];
let running = 0;
let most = 0;

const tools = {
  /** Takes `ms`. */
  async work({ who, ms }, id) {
    order.push({ who, id });
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    running--;
    return text(who);
  },
  /** Reports progress every `everyMs`, `times` times, then answers. */
  async report({ everyMs, times }, _, progressToken) {
    for (let progress = 1; progress <= times; progress++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      send({ method: "notifications/progress", params: { progressToken, progress, total: times } });
    }
    return text("reported");
  },
  log: () =>
    text(
      JSON.stringify({
        order: order.map(({ who }) => who),
        most,
        cancelled: cancelled.map((id) => order.find((call) => call.id === id)?.who ?? id),
      }),
    ),
};

serve(
  Object.keys(tools).map((name) => tool(name)),
  {
    "tools/call": ({ id, params }) => tools[params.name](params.arguments, id, params._meta?.progressToken),
    "notifications/cancelled": ({ params }) => void cancelled.push(params.requestId),
  },
);
