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
