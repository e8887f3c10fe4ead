/** Applies rules to files that a call reaches without naming them in its arguments: during a walk, or behind a link. */
export interface FileRules {
  /**
   * True if a call that named the file or folder would run without asking a person. `named` holds the paths by which
   * rules may know it: an allow must match all of them. `also` holds further paths: an ask or deny that matches one of
   * them counts. Asks nobody.
   */
  permits(named: readonly string[], also?: readonly string[]): boolean;
  /** True if everything below a folder is denied, whatever its name, so that a walk can skip it. */
  deniesAllBelow(named: readonly string[], also?: readonly string[]): boolean;
}

/** Rules that are evaluated on first use, because most tools reach no files. */
export class LazyFileRules implements FileRules {
  #make: (() => FileRules) | undefined;
  #made: FileRules | undefined;

  constructor(make: () => FileRules) {
    this.#make = make;
  }

  permits(named: readonly string[], also?: readonly string[]): boolean {
    return this.#files.permits(named, also);
  }

  deniesAllBelow(named: readonly string[], also?: readonly string[]): boolean {
    return this.#files.deniesAllBelow(named, also);
  }

  get #files(): FileRules {
    this.#made ??= this.#make!();
    this.#make = undefined;
    return this.#made;
  }
}
