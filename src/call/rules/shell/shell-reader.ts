/** A command line as bash reads it: its simple commands, in whatever constructs and substitutions they stand. */
import { type Assigned, type SimpleCommand, type Word, WordBuilder } from "./shell-syntax.ts";
import { ENDS_WORD, WordReader } from "./word-reader.ts";

const BLANK = /[ \t]/;
const ASSIGNMENT = /([A-Za-z_]\w*)(\[[^\]\n]*\])?\+?=/y;
/** Another command follows. */
const LEADING = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"]);
const CLOSING = new Set(["fi", "done", "}"]);
const LOOPS = new Set(["for", "select"]);
/** What may follow the name of a coprocess. */
const COMPOUND = new Set(["{", "if", "while", "until", "for", "case", "select", "[["]);
const NUMERIC_TEST = /^-(?:eq|ne|lt|gt|le|ge|v)$/;

type End = "text" | ")" | "case";

interface HereDocument {
  readonly end: string;
  readonly isLiteral: boolean;
  readonly withoutTabs: boolean;
  readonly command: SimpleCommand;
}

/** What was read, and what of it only a run can tell. */
export class ShellReader extends WordReader {
  #waiting: HereDocument[] = [];

  read(): this {
    this.#list("text");
    return this;
  }

  protected readCommands(): void {
    this.#list(")");
  }

  protected inner(code: string): ShellReader {
    return new ShellReader(code, this.nesting + this.depth + 1);
  }

  #skipBlanks(withLines = false): void {
    for (; !this.isOver; this.at++) {
      if (this.isAt("\\\n")) this.at++;
      else if (this.next === "#") {
        const end = this.text.indexOf("\n", this.at);
        this.at = (end < 0 ? this.text.length : end) - 1;
      } else if (!BLANK.test(this.next) && !(withLines && this.next === "\n")) return;
    }
  }

  /** Commands up to the end. Stands at what ended them, but behind an `esac`. */
  #list(end: End): "esac" | undefined {
    while (!this.isOver) {
      this.#skipBlanks();
      if (this.isOver) break;
      if (this.next === "\n") {
        this.at++;
        this.#hereDocuments();
      } else if (end === "case" && (this.isAt(";;") || this.isAt(";&"))) return undefined;
      else if (";|".includes(this.next) || (this.next === "&" && !this.isAt("&>"))) this.at++;
      else if (this.next === ")") {
        if (end === ")") return undefined;
        this.giveUp();
      } else {
        const from = this.at;
        const ended = this.#command();
        if (ended && end === "case") return ended;
        if (ended || this.at === from) this.giveUp();
      }
    }
    if (end !== "text") this.giveUp();
    return undefined;
  }

  #command(): "esac" | undefined {
    if (this.next !== "(") return this.#simpleCommand();
    if (this.isAt("((") && this.isArithmetic(this.at + 2)) {
      this.at += 2;
      this.arithmetic("))");
    } else {
      this.at++;
      this.parenthesised();
    }
    return undefined;
  }

  #simpleCommand(): "esac" | undefined {
    const words: Word[] = [];
    const assigned: Assigned[] = [];
    const shown: string[] = [];
    const command: SimpleCommand = { words, assigned, shown, from: this.at, to: this.at };
    let isCoprocess = false;
    for (this.#skipBlanks(); !this.isOver; this.#skipBlanks()) {
      const char = this.next;
      if (char === "(") {
        if (words.length + assigned.length === 0) return undefined;
        // A function: its body is read as what follows.
        if (words.length === 1 && /\(\s*\)/y.test(this.text.slice(this.at, this.at + 10))) {
          this.at = this.text.indexOf(")", this.at) + 1;
          return undefined;
        }
        this.giveUp();
      } else if (this.#isRedirection()) this.#redirection(command);
      else if (ENDS_WORD.includes(char) && !this.isProcess()) break;
      else {
        const isFirst = words.length === 0 && assigned.length === 0;
        if (words.length === 0 && this.#assignment(assigned, shown)) continue;
        const word = this.word();
        const isDescriptor = /^(?:\d+|\{\w+\})$/.test(word.text) && /[<>]/.test(this.next);
        if (isDescriptor && !word.isQuoted) continue;
        const keyword = word.isQuoted || word.isOpen ? "" : word.text;
        if (isCoprocess && words.length === 1 && COMPOUND.has(keyword)) words.length = 0;
        else if (!isFirst) {
          words.push(word);
          shown.push(word.text);
          continue;
        }
        if (keyword === "esac") return "esac";
        if (keyword === "coproc" || LEADING.has(keyword)) command.isLed = true;
        if (keyword === "coproc") isCoprocess = true;
        else if (LEADING.has(keyword)) this.#behindKeyword(keyword);
        else if (CLOSING.has(keyword)) continue;
        else if (LOOPS.has(keyword)) return this.#loop();
        else if (keyword === "case") return this.#cases();
        else if (keyword === "function") {
          this.#skipBlanks();
          this.word();
          this.#skipBlanks();
          if (/\(\s*\)/y.test(this.text.slice(this.at, this.at + 10)))
            this.at = this.text.indexOf(")", this.at) + 1;
          return undefined;
        } else {
          words.push(word);
          shown.push(word.text);
          if (keyword === "[[") this.#condition(command);
        }
      }
    }
    command.to = this.at;
    if (shown.length > 0) this.commands.push(command);
    return undefined;
  }

  #behindKeyword(keyword: string): void {
    if (keyword !== "time") return;
    this.#skipBlanks();
    if (/-p[ \t]/y.test(this.text.slice(this.at, this.at + 3))) this.at += 2;
  }

  /** True: there was one. */
  #assignment(assigned: Assigned[], shown: string[]): boolean {
    ASSIGNMENT.lastIndex = this.at;
    const found = ASSIGNMENT.exec(this.text);
    if (!found) return false;
    const [written, name = "", subscript = ""] = found;
    if (subscript !== "") {
      // Read once more, for what is in it.
      const inner = this.inner(subscript);
      inner.readExpanded();
      this.take(inner);
      if (/[^\d[\]]/.test(subscript)) this.computes = true;
    }
    this.at += written.length;
    const value = new WordBuilder();
    if (this.next === "(") {
      this.at++;
      this.nested(() => {
        for (this.#skipBlanks(true); !this.isOver && this.next !== ")"; this.#skipBlanks(true)) {
          if (ENDS_WORD.includes(this.next) && !this.isProcess()) return void this.giveUp();
          value.addWord(this.word());
        }
        this.at++;
      });
    } else value.addWord(this.word());
    const word = value.end();
    if (word.hasOutput) this.keepsOutput = true;
    assigned.push({ name, value: word });
    shown.push(`${written}${word.text}`);
    return true;
  }

  #loop(): undefined {
    this.#skipBlanks();
    if (this.isAt("((")) {
      this.at += 2;
      this.arithmetic("))");
      return undefined;
    }
    this.word();
    this.#skipBlanks(true);
    if (!/in\s/y.test(this.text.slice(this.at, this.at + 3))) return undefined;
    this.at += 2;
    for (this.#skipBlanks(); !this.isOver && !";\n".includes(this.next); this.#skipBlanks()) {
      if (ENDS_WORD.includes(this.next) && !this.isProcess()) this.giveUp();
      else if (this.word().hasOutput) this.keepsOutput = true;
    }
    return undefined;
  }

  #cases(): undefined {
    this.#skipBlanks();
    this.word();
    this.#skipBlanks(true);
    if (!this.isAt("in")) this.giveUp();
    this.at += 2;
    this.nested(() => {
      for (this.#skipBlanks(true); !this.isOver; this.#skipBlanks(true)) {
        if (/esac(?![^\s;&|)])/y.test(this.text.slice(this.at, this.at + 5))) {
          this.at += 4;
          return;
        }
        while (!this.isOver && this.next !== ")") {
          if (ENDS_WORD.includes(this.next)) this.at++;
          else this.word();
        }
        this.at++;
        if (this.#list("case") === "esac") return;
        while (";&".includes(this.next) && !this.isOver) this.at++;
      }
      this.giveUp();
    });
    return undefined;
  }

  /** `[[ … ]]`: its operators start nothing. */
  #condition({ words, shown }: SimpleCommand): void {
    for (this.#skipBlanks(true); !this.isOver; this.#skipBlanks(true)) {
      if (this.isProcess() || !ENDS_WORD.includes(this.next)) {
        const word = this.word();
        words.push(word);
        shown.push(word.text);
        if (NUMERIC_TEST.test(word.text)) this.computes = true;
        if (word.text === "]]") return;
      } else this.at++;
    }
    this.giveUp();
  }

  #isRedirection(): boolean {
    if (this.next === "<" || this.next === ">") return !this.isProcess();
    return this.isAt("&>");
  }

  #redirection(command: SimpleCommand): void {
    const { shown } = command;
    const operator = /&?[<>]{1,3}[-&|]?/y.exec(this.text.slice(this.at, this.at + 5))![0];
    this.at += operator.length;
    for (const arrow of operator.replace(/[^<>]/g, "")) shown.push(arrow);
    this.#skipBlanks();
    if (operator === "<<" || operator === "<<-") {
      const from = this.at;
      const { text } = this.word();
      const isLiteral = /["'\\]/.test(this.text.slice(from, this.at));
      this.#waiting.push({ end: text, isLiteral, withoutTabs: operator === "<<-", command });
      return;
    }
    if (this.isOver || (ENDS_WORD.includes(this.next) && !this.isProcess())) return void this.giveUp();
    const word = this.word();
    if (operator === "<<<") command.input = word;
    shown.push(word.text);
  }

  #hereDocuments(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { end, isLiteral, withoutTabs, command } of waiting) {
      const lines: string[] = [];
      while (!this.isOver) {
        const stop = this.text.indexOf("\n", this.at);
        const line = this.text.slice(this.at, stop < 0 ? undefined : stop);
        this.at = stop < 0 ? this.text.length : stop + 1;
        const shown = withoutTabs ? line.replace(/^\t+/, "") : line;
        if (shown === end) break;
        lines.push(shown);
      }
      const body = lines.join("\n");
      const inner = this.inner(body);
      command.input = isLiteral ? new WordBuilder().addQuoted(body).end() : inner.readExpanded();
      if (!isLiteral) this.take(inner);
    }
  }
}
