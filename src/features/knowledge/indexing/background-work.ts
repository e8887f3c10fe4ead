/** Background work: starts when woken, runs once at a time, and stops when there is nothing to do. */
export abstract class BackgroundWork {
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  /** Something may have been written since the last check. */
  protected isDue = false;

  /** Call it when there may be something to do. */
  wake(): void {
    this.isDue = true;
    if (this.#working || this.#stop.signal.aborted || !this.canRun()) return;
    this.#working = this.run(this.#stop.signal).finally(() => {
      this.#working = undefined;
      if (this.isDue) this.wake();
    });
  }

  /** Resolves when nothing is left to do or nothing can be done. */
  async rest(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  /** Never rejects; clears `isDue` when it checks for work. */
  protected abstract run(signal: AbortSignal): Promise<void>;

  protected canRun(): boolean {
    return true;
  }
}
