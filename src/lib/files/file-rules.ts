/** What rules say of files that a call comes to without its arguments naming them: those of a walk, or behind a link. */
export interface FileRules {
  /**
   * Whether a call that named the file, or folder, would run without a person being asked. `named`: by which paths rules may
   * know it, all of which an allow has to fit; `also`: further ones, for which an ask or a deny counts. Asks nobody.
   */
  permits(named: readonly string[], also?: readonly string[]): boolean;
  /** Whether everything below a folder is denied, whatever its name: nobody needs to look there. */
  deniesAllBelow(named: readonly string[], also?: readonly string[]): boolean;
}

/** Rules that are worked out when they are first asked: most tools come to no file. */
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
