/** The words of a command line, with whatever is expanded in them. */
import { ansiText } from "./ansi-text.ts";
import { type SimpleCommand, type Word, WordBuilder } from "./shell-syntax.ts";

/** Constructs within each other; also bounds how often a part of the line is looked at. */
const MAX_NESTING = 40;
export const ENDS_WORD = " \t\n;&|<>()";

/** Reads words; what reads the commands in a substitution is its heir. */
export abstract class WordReader {
  readonly commands: SimpleCommand[] = [];
  /** It is no command line, or one that this reader does not know: anything may run. */
  isBroken = false;
  /** Names or values are computed with, and bash runs substitutions in those. */
  computes = false;
  /** A value is expanded a second time. */
  expandsTwice = false;
  /** A variable gets what another command prints. */
  keepsOutput = false;
  /** A substitution stands in it as text. */
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

  /** Commands up to a `)`, and not beyond it. */
  protected abstract readCommands(): void;

  /** Another of its kind, for a part that stands by itself. */
  protected abstract inner(code: string): WordReader;

  abstract read(): this;

  /** The text as it stands between double quotes, or in a here-document. */
  readExpanded(): Word {
    const word = new WordBuilder();
    while (!this.isOver) this.expandedCharacter(word, "");
    return this.ended(word);
  }

  protected ended(builder: WordBuilder): Word {
    const word = builder.end();
    this.hasCode ||= word.hasCode;
    return word;
  }

  protected get isOver(): boolean {
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

  protected nested(work: () => void): void {
    if (++this.depth + this.nesting > MAX_NESTING) this.giveUp();
    work();
    this.depth--;
  }

  /** What ends at its `)`. */
  protected parenthesised(): void {
    this.nested(() => {
      this.readCommands();
      this.at++;
    });
  }

  protected isProcess(): boolean {
    return this.isAt("<(") || this.isAt(">(");
  }

  /** What was read in a part by itself. */
  protected take(inner: WordReader): void {
    const from = this.at;
    for (const command of inner.commands) this.commands.push({ ...command, from, to: from });
    this.isBroken ||= inner.isBroken;
    this.computes ||= inner.computes;
    this.expandsTwice ||= inner.expandsTwice;
    this.keepsOutput ||= inner.keepsOutput;
    this.hasCode ||= inner.hasCode;
  }

  protected word(): Word {
    const word = new WordBuilder();
    const start = this.at;
    while (!this.isOver) {
      const char = this.next;
      if (this.isProcess()) {
        this.at += 2;
        this.parenthesised();
        word.addUnknown(true, true);
      } else if (ENDS_WORD.includes(char)) {
        // A pattern that only some shells know.
        if (char === "(" && this.at > start && "?*+@!".includes(this.text[this.at - 1]!)) this.giveUp();
        break;
      } else if (this.isAt("\\\n")) this.at += 2;
      else if (char === "\\") {
        word.addQuoted(this.text[this.at + 1] ?? char);
        this.at += 2;
      } else if (char === "'" || this.isAt("$'")) this.#single(word);
      else if (char === '"' || this.isAt('$"')) this.double(word);
      else if (char === "$" || char === "`") this.expansion(word, false);
      else {
        word.addPlain(char);
        this.at++;
      }
    }
    // Nothing was taken: whoever asked for a word would ask for ever.
    if (this.at === start && !this.isOver) this.at++;
    return this.ended(word);
  }

  #single(word: WordBuilder): void {
    if (this.next === "$") {
      const ansi = ansiText(this.text, this.at + 2);
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

  protected double(word: WordBuilder): void {
    this.at += this.next === "$" ? 2 : 1;
    word.addQuoted("");
    while (!this.isOver && this.next !== '"') this.expandedCharacter(word, '"');
    if (this.isOver) return void this.giveUp();
    this.at++;
  }

  /** One character, or one expansion, where quotes mean nothing but `"`. */
  protected expandedCharacter(word: WordBuilder, quote: string): void {
    if (this.isAt("\\\n")) this.at += 2;
    else if (this.next === "\\" && `$\`\\${quote}`.includes(this.text[this.at + 1] ?? "x")) {
      word.addQuoted(this.text[this.at + 1]!);
      this.at += 2;
    } else if (this.next === "$" || this.next === "`") this.expansion(word, true);
    else word.addQuoted(this.text[this.at++]!);
  }

  protected expansion(word: WordBuilder, isQuoted: boolean): void {
    if (this.next === "`") return void this.#backticks(word, isQuoted);
    const after = this.text[this.at + 1] ?? "";
    if (after === "(" && this.text[this.at + 2] === "(" && this.isArithmetic(this.at + 3)) {
      this.at += 3;
      this.arithmetic("))");
      word.addUnknown(isQuoted, false);
    } else if (after === "(") {
      this.at += 2;
      this.parenthesised();
      word.addUnknown(isQuoted, true);
    } else if (after === "[") {
      this.at += 2;
      this.arithmetic("]");
      word.addUnknown(isQuoted, false);
    } else if (after === "{") {
      this.at += 2;
      this.nested(() => this.#parameter(word, isQuoted));
    } else if (/[\w@*#?$!-]/.test(after)) {
      this.at += 1 + (/^[A-Za-z_]\w*/.exec(this.text.slice(this.at + 1, this.at + 200))?.[0].length ?? 1);
      word.addUnknown(isQuoted, false);
    } else {
      word.addPlain("$");
      this.at++;
    }
  }

  #backticks(word: WordBuilder, isQuoted: boolean): void {
    let code = "";
    for (this.at++; !this.isOver && this.next !== "`"; this.at++) {
      const isEscape =
        this.next === "\\" && `$\`\\${isQuoted ? '"' : ""}`.includes(this.text[this.at + 1] ?? "x");
      if (isEscape) this.at++;
      code += this.next;
    }
    if (this.isOver) return void this.giveUp();
    this.at++;
    this.take(this.inner(code).read());
    word.addUnknown(isQuoted, true);
  }

  /** `${…}`, from behind its brace on. */
  #parameter(word: WordBuilder, isQuoted: boolean): void {
    // A substitution of newer shells, and quotes of which it depends on the operator what they mean.
    if (/[\s|]/.test(this.next)) return void this.giveUp();
    const head = /^!?(?:\w+|[@*#?$!-])(\[[^\]]*\])?(:(?![-=?+])|@P\})?/.exec(
      this.text.slice(this.at, this.at + 500),
    );
    if (head?.[2] === "@P}") this.expandsTwice = true;
    if (head?.[2] === ":" || /[^\d@*[\]]/.test(head?.[1] ?? "")) this.computes = true;
    const inner = new WordBuilder();
    while (!this.isOver && this.next !== "}") {
      if (this.next === '"') this.double(inner);
      else if (this.next === "'" || this.isAt("$'")) {
        if (isQuoted) return void this.giveUp();
        this.#single(inner);
      } else if (this.isProcess() && !isQuoted) {
        this.at += 2;
        this.parenthesised();
      } else if (this.next === "\\") this.at += 2;
      else this.expandedCharacter(inner, '"');
    }
    if (this.isOver) return void this.giveUp();
    this.at++;
    word.addUnknown(isQuoted, inner.end().hasOutput);
  }

  /** Whether what begins there ends with `))`; else it is a command in two pairs of brackets. */
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

  protected arithmetic(end: string): void {
    this.nested(() => {
      const from = this.at;
      const word = new WordBuilder();
      for (let open = 0; !this.isOver; ) {
        if (open === 0 && this.isAt(end)) break;
        if (this.next === "(" || this.next === "[") open++;
        if ((this.next === ")" || this.next === "]") && open > 0) open--;
        // What these mean there is known to few.
        if (this.next === "'" || this.next === "\\") return void this.giveUp();
        if (this.next === '"') this.double(word);
        else this.expandedCharacter(word, '"');
      }
      if (this.isOver) return void this.giveUp();
      if (/[A-Za-z_$`]/.test(this.text.slice(from, this.at))) this.computes = true;
      if (word.end().hasOutput) this.keepsOutput = true;
      this.at += end.length;
    });
  }
}
