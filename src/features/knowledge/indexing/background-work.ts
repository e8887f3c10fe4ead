/** Work that begins when it is woken, one run at a time, and rests when there is nothing to do. Nothing waits for it. */
export abstract class BackgroundWork {
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  /** Somebody may have written since the last look. */
  protected isDue = false;

  /** There may be something to do. */
  wake(): void {
    this.isDue = true;
    if (this.#working || this.#stop.signal.aborted || !this.canRun()) return;
    this.#working = this.run(this.#stop.signal).finally(() => {
      this.#working = undefined;
      if (this.isDue) this.wake();
    });
  }

  /** Resolves when there is nothing left to do, or nothing can be done. */
  async rest(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  /** Never rejects; sets `isDue` back when it looks for something to do. */
  protected abstract run(signal: AbortSignal): Promise<void>;

  protected canRun(): boolean {
    return true;
  }
}
