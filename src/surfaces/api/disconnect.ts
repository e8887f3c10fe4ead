import type { FastifyReply } from "fastify";

/** Runs `work` with a signal that aborts when the client goes away before it has its answer. */
export async function whileConnected<T>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const onClose = () => {
    if (!reply.raw.writableEnded) gone.abort(new Error("the client disconnected"));
  };
  reply.raw.once("close", onClose);
  try {
    return await work(gone.signal);
  } finally {
    reply.raw.off("close", onClose);
  }
}
