import { setImmediate as nextTask } from "node:timers/promises";

/**
 * A `fetch` whose answers fail once a message is larger than `maxBytes`. In an event stream, which may run for hours, a
 * message is one event; otherwise it is the whole body.
 */
export function boundedFetch(maxBytes: number, base: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await base(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = boundedBody(response.body, headers.get("content-type"), maxBytes);
    return new Response(body, { status, statusText, headers });
  };
}

/**
 * Applies the same limit to `body`. Locks it at once and cancels it when the limit is exceeded. Calls `onEnd` when it
 * is over, for whatever reason.
 */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  contentType: string | null,
  maxBytes: number,
  onEnd: () => void = () => {},
): ReadableStream<Uint8Array> {
  const isStream = contentType?.toLowerCase().startsWith("text/event-stream") ?? false;
  const largest = isStream ? eventMeter() : bodyMeter();
  const reader = body.getReader();
  reader.closed.then(onEnd, onEnd); // read to its end, cancelled or broken off
  let rest: Uint8Array = NOTHING;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (rest.length > 0) {
          await nextTask();
          controller.enqueue(rest.subarray(0, PIECE));
          rest = rest.subarray(PIECE);
          return;
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (largest(value) <= maxBytes) {
          rest = isStream ? value.subarray(PIECE) : NOTHING;
          return controller.enqueue(isStream ? value.subarray(0, PIECE) : value);
        }
        const tooLarge = new Error(`the server sent a message of more than ${maxBytes} bytes`);
        // The reader gets this error in any case; the source may be slow to stop, or fail to.
        reader.cancel(tooLarge).catch(() => undefined);
        throw tooLarge;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const NOTHING = new Uint8Array(0);
/**
 * The most bytes of an event stream that are passed on at once: hundreds of small events must leave time for other
 * work.
 */
const PIECE = 8192;

function bodyMeter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

/** Returns the size of the largest event that this chunk continues or contains. An empty line ends an event. */
function eventMeter(): (chunk: Uint8Array) => number {
  let unfinished = 0;
  let isLineEmpty = true;
  let previous = 0;
  return (chunk) => {
    let largest = 0;
    let eventAt = -unfinished;
    let lineAt = 0;
    for (const at of lineEnds(chunk)) {
      if (at > lineAt) isLineEmpty = false;
      lineAt = at + 1;
      const before = at > 0 ? chunk[at - 1] : previous;
      if (chunk[at] === LINE_FEED && before === CARRIAGE_RETURN) continue; // the second half of one line end
      if (isLineEmpty) {
        largest = Math.max(largest, lineAt - eventAt);
        eventAt = lineAt;
      }
      isLineEmpty = true;
    }
    if (lineAt < chunk.length) isLineEmpty = false;
    previous = chunk.at(-1) ?? previous;
    unfinished = chunk.length - eventAt;
    return Math.max(largest, unfinished);
  };
}

/**
 * Yields the position of each CR and LF. Searches instead of stepping, because most lines are long and every byte
 * passes here.
 */
function* lineEnds(chunk: Uint8Array): Generator<number> {
  let feed = chunk.indexOf(LINE_FEED);
  let carriage = chunk.indexOf(CARRIAGE_RETURN);
  while (feed !== -1 || carriage !== -1) {
    if (carriage === -1 || (feed !== -1 && feed < carriage)) {
      yield feed;
      feed = chunk.indexOf(LINE_FEED, feed + 1);
    } else {
      yield carriage;
      carriage = chunk.indexOf(CARRIAGE_RETURN, carriage + 1);
    }
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
