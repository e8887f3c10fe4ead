/** Far above what the daemon accepts; only keeps a line without an end from filling the memory. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/** The lines of a stream of UTF-8, without their ends; a last line without one counts too. */
export async function* textLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (
      rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))
    ).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH) throw new Error(`a line has more than ${MAX_LINE_LENGTH} characters`);
    for (const line of lines) yield withoutReturn(line);
  }
  rest += decoder.decode();
  if (rest !== "") yield withoutReturn(rest);
}

/** The data of each event of a `text/event-stream`. */
export async function* eventData(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of textLines(stream)) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    yield data.join("\n");
    data = [];
  }
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
