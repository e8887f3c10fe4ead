import { setImmediate as nextTask } from "node:timers/promises";

/**
 * `fetch` whose answers end in an error once one message of theirs is larger than `maxBytes`. In an event stream,
 * which may run for hours, that is one event; in everything else the whole body.
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
 * `body` with the same limit. It is locked at once, and cancelled when the limit is passed. `onEnd` is called when it
 * is over, in whichever way.
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
        // It ends in this error either way, and the source may take its time or fail to stop.
        reader.cancel(tooLarge).catch(() => undefined);
        throw tooLarge;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const NOTHING = new Uint8Array(0);
/** Of an event stream, so much is handed on at a time: hundreds of small events must leave time for everything else. */
const PIECE = 8192;

function bodyMeter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

/** The size of the largest event that this chunk continues or holds; an empty line ends an event. */
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

/** Where each CR and LF is. Searched, not stepped through: most lines are long, and every byte passes here. */
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
