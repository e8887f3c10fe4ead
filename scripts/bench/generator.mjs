// The load generator as the benchmark sees it: one process, one order at a time.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cpuMicros } from "./process-figures.mjs";

const CONNECT_MS = 60_000;
const POLL_MS = 100;
/** Long enough for what a contender does shortly after the calls, such as writing them down. */
const AFTERMATH_MS = 250;

export function startGenerator() {
  const child = fork(fileURLToPath(new URL("load.mjs", import.meta.url)), { stdio: "inherit" });
  const order = async (what) => {
    child.send(what);
    const [answer] = await once(child, "message");
    if (!answer.ok) throw new Error(answer.error);
    return answer;
  };
  return {
    /** Connects to a way of a contender that may still be starting. */
    connect: async (way, contender) => {
      const deadline = performance.now() + CONNECT_MS;
      for (;;) {
        try {
          return await order({ op: "connect", ...way });
        } catch (error) {
          if (contender.hasEnded() || performance.now() > deadline)
            throw new Error(`${error.message}; its last words: ${contender.lastWords()}`);
          await delay(POLL_MS);
        }
      }
    },
    /** The figures of a run. */
    run: (way, what) => order({ op: "run", name: way.name, ...what }),
    /** The figures of a run and the CPU that the contender itself, without its children, used for a call. */
    runWithCpu: async (way, contender, what) => {
      const before = cpuMicros(contender.pid);
      const figures = await order({ op: "run", name: way.name, ...what });
      await delay(AFTERMATH_MS);
      return { ...figures, cpuUs: (cpuMicros(contender.pid) - before) / figures.calls };
    },
    close: (way) => order({ op: "close", name: way.name }),
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
