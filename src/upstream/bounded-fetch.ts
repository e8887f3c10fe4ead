/**
 * `fetch` whose answers end in an error once one message of theirs is larger than `maxBytes`. In an event stream,
 * which may run for hours, that is one event; in everything else the whole body.
 */
export function boundedFetch(maxBytes: number, base: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await base(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit(maxBytes, isStream)), {
      status,
      statusText,
      headers,
    });
  };
}

function limit(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const largest = isStream ? eventMeter() : bodyMeter();
  return new TransformStream({
    transform(chunk, controller) {
      if (largest(chunk) > maxBytes)
        throw new Error(`the server sent a message of more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}

function bodyMeter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

/** The size of the largest event that this chunk continues or holds; an empty line ends an event. */
function eventMeter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let isLineEmpty = true;
  return (chunk) => {
    let largest = 0;
    for (const byte of chunk) {
      bytes++;
      if (bytes > largest) largest = bytes;
      if (byte === LINE_FEED && isLineEmpty) bytes = 0;
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED;
    }
    return largest;
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
