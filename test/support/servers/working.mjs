// Notes the order in which calls reach it, and how many it has at once: node working.mjs
import { send, serve, text, tool } from "./rpc.mjs";

/** Those that say of themselves that they only read. */
const READING = ["meet", "look"];

const order = [];
const ended = [];
const met = [];
const cancelled = [];
let running = 0;
let most = 0;

const tools = {
  /** Takes `ms`. */
  async work({ who, ms }, id) {
    order.push({ who, id });
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    // What began alone and ends alone ran alone.
    ended.push(--running === 0 ? who : `${who} beside ${running}`);
    return text(who);
  },
  /** Only answers when `count` calls of it are here at the same time. */
  async meet({ who, count }) {
    order.push({ who });
    await new Promise((resolve) => {
      met.push(resolve);
      if (met.length >= count) for (const each of met.splice(0)) each();
    });
    return text(who);
  },
  look: ({ who, ms }, id) => tools.work({ who, ms }, id),
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
        ended,
        most,
        cancelled: cancelled.map((id) => order.find((call) => call.id === id)?.who ?? id),
      }),
    ),
};

serve(
  Object.keys(tools).map((name) => tool(name, { annotations: { readOnlyHint: READING.includes(name) } })),
  {
    "tools/call": ({ id, params }) => tools[params.name](params.arguments, id, params._meta?.progressToken),
    "notifications/cancelled": ({ params }) => void cancelled.push(params.requestId),
  },
);
