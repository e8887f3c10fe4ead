/** A value that is replaced whole. Whoever holds `read` reads the newest one. */
export class Current<T> {
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  readonly read = (): T => this.#value;

  replace(value: T): void {
    this.#value = value;
  }
}
