/** Reads the words of a command line, with the expansions in them. */
import { readAnsiText } from "./ansi-text.ts";
import { type SimpleCommand, type Word, WordBuilder } from "./shell-syntax.ts";

/** Limits nested constructs, and so how often a part of the line is read. */
const MAX_NESTING = 40;
export const ENDS_WORD = " \t\n;&|<>()";

/** Reads words; a subclass reads the commands in substitutions. */
export abstract class WordReader {
  readonly commands: SimpleCommand[] = [];
  /** It is not a command line, or not one that this reader understands: anything may run. */
  isBroken = false;
  /** Arithmetic is done with names or values, and bash runs substitutions in those. */
  computes = false;
  /** A value is expanded a second time. */
  expandsTwice = false;
  /** A variable receives the output of another command. */
  keepsOutput = false;
  /** A substitution occurs in it as text. */
  hasCode = false;
  protected readonly text: string;
  protected readonly nesting: number;
  protected at = 0;
  protected depth = 0;

  constructor(text: string, nesting = 0) {
    this.text = text;
    this.nesting = nesting;
    if (nesting > MAX_NESTING || /[\0\r\uffff]/.test(text)) this.giveUp();
  }

  /** Reads commands up to a `)`, which is not consumed. */
  protected abstract readCommands(): void;

  /** A reader of the same kind, for a part that is read separately. */
  protected abstract createInner(code: string): WordReader;

  abstract read(): this;

  /** Reads the text as between double quotes, or in a here-document. */
  readExpanded(): Word {
    const word = new WordBuilder();
    while (!this.isAtEnd) this.readExpandedCharacter(word, "");
    return this.finishWord(word);
  }

  protected finishWord(builder: WordBuilder): Word {
    const word = builder.end();
    this.hasCode ||= word.hasCode;
    return word;
  }

  protected get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  protected get next(): string {
    return this.text[this.at] ?? "";
  }

  protected giveUp(): void {
    this.isBroken = true;
    this.at = this.text.length;
  }

  protected isAt(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  protected withNesting(work: () => void): void {
    if (++this.depth + this.nesting > MAX_NESTING) this.giveUp();
    work();
    this.depth--;
  }

  /** Reads commands up to and including `)`. */
  protected readParenthesised(): void {
    this.withNesting(() => {
      this.readCommands();
      this.at++;
    });
  }

  protected isProcessSubstitution(): boolean {
    return this.isAt("<(") || this.isAt(">(");
  }

  /** Merges what was read separately. */
  protected mergeInner(inner: WordReader): void {
    const from = this.at;
    for (const command of inner.commands) this.commands.push({ ...command, from, to: from });
    this.isBroken ||= inner.isBroken;
    this.computes ||= inner.computes;
    this.expandsTwice ||= inner.expandsTwice;
    this.keepsOutput ||= inner.keepsOutput;
    this.hasCode ||= inner.hasCode;
  }

  protected readWord(): Word {
    const word = new WordBuilder();
    const start = this.at;
    while (!this.isAtEnd) {
      const char = this.next;
      if (this.isProcessSubstitution()) {
        this.at += 2;
        this.readParenthesised();
        word.addUnknown(true, true);
      } else if (ENDS_WORD.includes(char)) {
        // A pattern that only some shells know.
        if (char === "(" && this.at > start && "?*+@!".includes(this.text[this.at - 1]!)) this.giveUp();
        break;
      } else if (this.isAt("\\\n")) this.at += 2;
      else if (char === "\\") {
        word.addQuoted(this.text[this.at + 1] ?? char);
        this.at += 2;
      } else if (char === "'" || this.isAt("$'")) this.#readSingleQuoted(word);
      else if (char === '"' || this.isAt('$"')) this.readDoubleQuoted(word);
      else if (char === "$" || char === "`") this.readExpansion(word, false);
      else {
        word.addPlain(char);
        this.at++;
      }
    }
    // Nothing was consumed; without this step the caller would loop forever.
    if (this.at === start && !this.isAtEnd) this.at++;
    return this.finishWord(word);
  }

  #readSingleQuoted(word: WordBuilder): void {
    if (this.next === "$") {
      const ansi = readAnsiText(this.text, this.at + 2);
      if (!ansi) return void this.giveUp();
      this.at = ansi.end;
      word.addQuoted(ansi.text);
      return;
    }
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) return void this.giveUp();
    word.addQuoted(this.text.slice(this.at + 1, end));
    this.at = end + 1;
  }

  protected readDoubleQuoted(word: WordBuilder): void {
    this.at += this.next === "$" ? 2 : 1;
    word.addQuoted("");
    while (!this.isAtEnd && this.next !== '"') this.readExpandedCharacter(word, '"');
    if (this.isAtEnd) return void this.giveUp();
    this.at++;
  }

  /** One character or expansion where only `"` is a quote. */
  protected readExpandedCharacter(word: WordBuilder, quote: string): void {
    if (this.isAt("\\\n")) this.at += 2;
    else if (this.next === "\\" && `$\`\\${quote}`.includes(this.text[this.at + 1] ?? "x")) {
      word.addQuoted(this.text[this.at + 1]!);
      this.at += 2;
    } else if (this.next === "$" || this.next === "`") this.readExpansion(word, true);
    else word.addQuoted(this.text[this.at++]!);
  }

  protected readExpansion(word: WordBuilder, isQuoted: boolean): void {
    if (this.next === "`") return void this.#readBackticks(word, isQuoted);
    const after = this.text[this.at + 1] ?? "";
    if (after === "(" && this.text[this.at + 2] === "(" && this.isArithmetic(this.at + 3)) {
      this.at += 3;
      this.readArithmetic("))");
      word.addUnknown(isQuoted, false);
    } else if (after === "(") {
      this.at += 2;
      this.readParenthesised();
      word.addUnknown(isQuoted, true);
    } else if (after === "[") {
      this.at += 2;
      this.readArithmetic("]");
      word.addUnknown(isQuoted, false);
    } else if (after === "{") {
      this.at += 2;
      this.withNesting(() => this.#readParameter(word, isQuoted));
    } else if (/[\w@*#?$!-]/.test(after)) {
      this.at += 1 + (/^[A-Za-z_]\w*/.exec(this.text.slice(this.at + 1, this.at + 200))?.[0].length ?? 1);
      word.addUnknown(isQuoted, false);
    } else {
      word.addPlain("$");
      this.at++;
    }
  }

  #readBackticks(word: WordBuilder, isQuoted: boolean): void {
    let code = "";
    for (this.at++; !this.isAtEnd && this.next !== "`"; this.at++) {
      const isEscape =
        this.next === "\\" && `$\`\\${isQuoted ? '"' : ""}`.includes(this.text[this.at + 1] ?? "x");
      if (isEscape) this.at++;
      code += this.next;
    }
    if (this.isAtEnd) return void this.giveUp();
    this.at++;
    this.mergeInner(this.createInner(code).read());
    word.addUnknown(isQuoted, true);
  }

  /** `${…}`, from after its brace. */
  #readParameter(word: WordBuilder, isQuoted: boolean): void {
    // A substitution of newer shells, or quotes whose meaning depends on the operator.
    if (/[\s|]/.test(this.next)) return void this.giveUp();
    const head = /^!?(?:\w+|[@*#?$!-])(\[[^\]]*\])?(:(?![-=?+])|@P\})?/.exec(
      this.text.slice(this.at, this.at + 500),
    );
    if (head?.[2] === "@P}") this.expandsTwice = true;
    if (head?.[2] === ":" || /[^\d@*[\]]/.test(head?.[1] ?? "")) this.computes = true;
    const inner = new WordBuilder();
    while (!this.isAtEnd && this.next !== "}") {
      if (this.next === '"') this.readDoubleQuoted(inner);
      else if (this.next === "'" || this.isAt("$'")) {
        if (isQuoted) return void this.giveUp();
        this.#readSingleQuoted(inner);
      } else if (this.isProcessSubstitution() && !isQuoted) {
        this.at += 2;
        this.readParenthesised();
      } else if (this.next === "\\") this.at += 2;
      else this.readExpandedCharacter(inner, '"');
    }
    if (this.isAtEnd) return void this.giveUp();
    this.at++;
    word.addUnknown(isQuoted, inner.end().hasOutput);
  }

  /** Whether what begins there ends with `))`; otherwise it is a command in two pairs of parentheses. */
  protected isArithmetic(from: number): boolean {
    let open = 0;
    for (let at = from; at < this.text.length; at++) {
      const char = this.text[at]!;
      if (char === "\\") at++;
      else if (char === "(") open++;
      else if (char === ")" && open-- === 0) return this.text[at + 1] === ")";
    }
    return false;
  }

  protected readArithmetic(end: string): void {
    this.withNesting(() => {
      const from = this.at;
      const word = new WordBuilder();
      for (let open = 0; !this.isAtEnd; ) {
        if (open === 0 && this.isAt(end)) break;
        if (this.next === "(" || this.next === "[") open++;
        if ((this.next === ")" || this.next === "]") && open > 0) open--;
        // Few know what these mean there.
        if (this.next === "'" || this.next === "\\") return void this.giveUp();
        if (this.next === '"') this.readDoubleQuoted(word);
        else this.readExpandedCharacter(word, '"');
      }
      if (this.isAtEnd) return void this.giveUp();
      if (/[A-Za-z_$`]/.test(this.text.slice(from, this.at))) this.computes = true;
      if (word.end().hasOutput) this.keepsOutput = true;
      this.at += end.length;
    });
  }
}
