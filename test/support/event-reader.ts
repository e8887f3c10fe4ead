export interface ReadEvent {
  readonly id?: string;
  readonly event?: string;
  /** Parsed. */
  readonly data?: unknown;
}

/** A reader of server-sent events, in the order they came. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  /** Whole, as they came: comments too. */
  readonly blocks: string[] = [];
  ended = false;
  readonly #gone = new AbortController();

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(url, { headers, signal: reader.#gone.signal });
    if (response.status !== 200 || !response.body) throw new Error(`status ${response.status}`);
    void reader.#read(response.body);
    return reader;
  }

  /** The names of what came so far. */
  get names(): (string | undefined)[] {
    return this.events.map(({ event }) => event);
  }

  leave(): void {
    this.#gone.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let open = "";
    try {
      for await (const chunk of body) {
        open += decoder.decode(chunk, { stream: true });
        const blocks = open.split("\n\n");
        open = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // Cut off, by either side.
    }
    this.ended = true;
  }

  #take(block: string): void {
    this.blocks.push(block);
    const fields = Object.fromEntries(
      block
        .split("\n")
        .filter((line) => !line.startsWith(":"))
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    if (fields.data === undefined) return;
    this.events.push({ ...fields, data: JSON.parse(fields.data) });
  }
}
