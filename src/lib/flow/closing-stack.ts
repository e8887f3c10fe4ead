/** Closes opened resources in reverse order. */
export class ClosingStack {
  readonly #opened: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(opened: T): T {
    this.#opened.push(opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.splice(0).reverse()) await opened.close();
  }
}
