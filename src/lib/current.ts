/** A value that is replaced as a whole. Holders of `read` always see the newest one. */
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
