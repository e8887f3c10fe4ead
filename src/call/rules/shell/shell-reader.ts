/** Reads a command line as bash does: its simple commands, in whatever constructs and substitutions they occur. */
import { type Assigned as Assignment, type SimpleCommand, type Word, WordBuilder } from "./shell-syntax.ts";
import { ENDS_WORD, WordReader } from "./word-reader.ts";

const BLANK = /[ \t]/;
const ASSIGNMENT = /([A-Za-z_]\w*)(\[[^\]\n]*\])?\+?=/y;
/** Another command follows these words. */
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

/** The commands that were read, and flags for what only a run can tell. */
export class ShellReader extends WordReader {
  #pendingHereDocuments: HereDocument[] = [];

  read(): this {
    this.#readList("text");
    return this;
  }

  protected readCommands(): void {
    this.#readList(")");
  }

  protected createInner(code: string): ShellReader {
    return new ShellReader(code, this.nesting + this.depth + 1);
  }

  #skipBlanks(withLines = false): void {
    for (; !this.isAtEnd; this.at++) {
      if (this.isAt("\\\n")) this.at++;
      else if (this.next === "#") {
        const end = this.text.indexOf("\n", this.at);
        this.at = (end < 0 ? this.text.length : end) - 1;
      } else if (!BLANK.test(this.next) && !(withLines && this.next === "\n")) return;
    }
  }

  /** Reads commands up to `end`. Stops at what ended them, except that `esac` is consumed. */
  #readList(end: End): "esac" | undefined {
    while (!this.isAtEnd) {
      this.#skipBlanks();
      if (this.isAtEnd) break;
      if (this.next === "\n") {
        this.at++;
        this.#readHereDocuments();
      } else if (end === "case" && (this.isAt(";;") || this.isAt(";&"))) return undefined;
      else if (";|".includes(this.next) || (this.next === "&" && !this.isAt("&>"))) this.at++;
      else if (this.next === ")") {
        if (end === ")") return undefined;
        this.giveUp();
      } else {
        const from = this.at;
        const endWord = this.#readCommand();
        if (endWord && end === "case") return endWord;
        if (endWord || this.at === from) this.giveUp();
      }
    }
    if (end !== "text") this.giveUp();
    return undefined;
  }

  #readCommand(): "esac" | undefined {
    if (this.next !== "(") return this.#readSimpleCommand();
    if (this.isAt("((") && this.isArithmetic(this.at + 2)) {
      this.at += 2;
      this.readArithmetic("))");
    } else {
      this.at++;
      this.readParenthesised();
    }
    return undefined;
  }

  #readSimpleCommand(): "esac" | undefined {
    const words: Word[] = [];
    const assignments: Assignment[] = [];
    const texts: string[] = [];
    const command: SimpleCommand = { words, assignments, texts, from: this.at, to: this.at };
    let isCoprocess = false;
    for (this.#skipBlanks(); !this.isAtEnd; this.#skipBlanks()) {
      const char = this.next;
      if (char === "(") {
        if (words.length + assignments.length === 0) return undefined;
        // A function: its body is read as the next command.
        if (words.length === 1 && /\(\s*\)/y.test(this.text.slice(this.at, this.at + 10))) {
          this.at = this.text.indexOf(")", this.at) + 1;
          return undefined;
        }
        this.giveUp();
      } else if (this.#isRedirection()) this.#readRedirection(command);
      else if (ENDS_WORD.includes(char) && !this.isProcessSubstitution()) break;
      else {
        const isFirst = words.length === 0 && assignments.length === 0;
        if (words.length === 0 && this.#readAssignment(assignments, texts)) continue;
        const word = this.readWord();
        const isDescriptor = /^(?:\d+|\{\w+\})$/.test(word.text) && /[<>]/.test(this.next);
        if (isDescriptor && !word.isQuoted) continue;
        const keyword = word.isQuoted || word.isOpen ? "" : word.text;
        if (isCoprocess && words.length === 1 && COMPOUND.has(keyword)) words.length = 0;
        else if (!isFirst) {
          words.push(word);
          texts.push(word.text);
          continue;
        }
        if (keyword === "esac") return "esac";
        if (keyword === "coproc" || LEADING.has(keyword)) command.hasKeyword = true;
        if (keyword === "coproc") isCoprocess = true;
        else if (LEADING.has(keyword)) this.#skipTimeOption(keyword);
        else if (CLOSING.has(keyword)) continue;
        else if (LOOPS.has(keyword)) return this.#readLoop();
        else if (keyword === "case") return this.#readCases();
        else if (keyword === "function") {
          this.#skipBlanks();
          this.readWord();
          this.#skipBlanks();
          if (/\(\s*\)/y.test(this.text.slice(this.at, this.at + 10)))
            this.at = this.text.indexOf(")", this.at) + 1;
          return undefined;
        } else {
          words.push(word);
          texts.push(word.text);
          if (keyword === "[[") this.#readCondition(command);
        }
      }
    }
    command.to = this.at;
    if (texts.length > 0) this.commands.push(command);
    return undefined;
  }

  #skipTimeOption(keyword: string): void {
    if (keyword !== "time") return;
    this.#skipBlanks();
    if (/-p[ \t]/y.test(this.text.slice(this.at, this.at + 3))) this.at += 2;
  }

  /** True if there was one. */
  #readAssignment(assignments: Assignment[], texts: string[]): boolean {
    ASSIGNMENT.lastIndex = this.at;
    const match = ASSIGNMENT.exec(this.text);
    if (!match) return false;
    const [written, name = "", subscript = ""] = match;
    if (subscript !== "") {
      // Read a second time for the substitutions in it.
      const inner = this.createInner(subscript);
      inner.readExpanded();
      this.mergeInner(inner);
      if (/[^\d[\]]/.test(subscript)) this.computes = true;
    }
    this.at += written.length;
    const value = new WordBuilder();
    if (this.next === "(") {
      this.at++;
      this.withNesting(() => {
        for (this.#skipBlanks(true); !this.isAtEnd && this.next !== ")"; this.#skipBlanks(true)) {
          if (ENDS_WORD.includes(this.next) && !this.isProcessSubstitution()) return void this.giveUp();
          value.addWord(this.readWord());
        }
        this.at++;
      });
    } else value.addWord(this.readWord());
    const word = value.end();
    if (word.hasOutput) this.keepsOutput = true;
    assignments.push({ name, value: word });
    texts.push(`${written}${word.text}`);
    return true;
  }

  #readLoop(): undefined {
    this.#skipBlanks();
    if (this.isAt("((")) {
      this.at += 2;
      this.readArithmetic("))");
      return undefined;
    }
    this.readWord();
    this.#skipBlanks(true);
    if (!/in\s/y.test(this.text.slice(this.at, this.at + 3))) return undefined;
    this.at += 2;
    for (this.#skipBlanks(); !this.isAtEnd && !";\n".includes(this.next); this.#skipBlanks()) {
      if (ENDS_WORD.includes(this.next) && !this.isProcessSubstitution()) this.giveUp();
      else if (this.readWord().hasOutput) this.keepsOutput = true;
    }
    return undefined;
  }

  #readCases(): undefined {
    this.#skipBlanks();
    this.readWord();
    this.#skipBlanks(true);
    if (!this.isAt("in")) this.giveUp();
    this.at += 2;
    this.withNesting(() => {
      for (this.#skipBlanks(true); !this.isAtEnd; this.#skipBlanks(true)) {
        if (/esac(?![^\s;&|)])/y.test(this.text.slice(this.at, this.at + 5))) {
          this.at += 4;
          return;
        }
        while (!this.isAtEnd && this.next !== ")") {
          if (ENDS_WORD.includes(this.next)) this.at++;
          else this.readWord();
        }
        this.at++;
        if (this.#readList("case") === "esac") return;
        while (";&".includes(this.next) && !this.isAtEnd) this.at++;
      }
      this.giveUp();
    });
    return undefined;
  }

  /** `[[ … ]]`: its operators start nothing. */
  #readCondition({ words, texts }: SimpleCommand): void {
    for (this.#skipBlanks(true); !this.isAtEnd; this.#skipBlanks(true)) {
      if (this.isProcessSubstitution() || !ENDS_WORD.includes(this.next)) {
        const word = this.readWord();
        words.push(word);
        texts.push(word.text);
        if (NUMERIC_TEST.test(word.text)) this.computes = true;
        if (word.text === "]]") return;
      } else this.at++;
    }
    this.giveUp();
  }

  #isRedirection(): boolean {
    if (this.next === "<" || this.next === ">") return !this.isProcessSubstitution();
    return this.isAt("&>");
  }

  #readRedirection(command: SimpleCommand): void {
    const { texts } = command;
    const operator = /&?[<>]{1,3}[-&|]?/y.exec(this.text.slice(this.at, this.at + 5))![0];
    this.at += operator.length;
    for (const arrow of operator.replace(/[^<>]/g, "")) texts.push(arrow);
    this.#skipBlanks();
    if (operator === "<<" || operator === "<<-") {
      const from = this.at;
      const { text } = this.readWord();
      const isLiteral = /["'\\]/.test(this.text.slice(from, this.at));
      this.#pendingHereDocuments.push({ end: text, isLiteral, withoutTabs: operator === "<<-", command });
      return;
    }
    if (this.isAtEnd || (ENDS_WORD.includes(this.next) && !this.isProcessSubstitution()))
      return void this.giveUp();
    const word = this.readWord();
    if (operator === "<<<") command.input = word;
    texts.push(word.text);
  }

  #readHereDocuments(): void {
    const documents = this.#pendingHereDocuments;
    this.#pendingHereDocuments = [];
    for (const { end, isLiteral, withoutTabs, command } of documents) {
      const lines: string[] = [];
      while (!this.isAtEnd) {
        const stop = this.text.indexOf("\n", this.at);
        const line = this.text.slice(this.at, stop < 0 ? undefined : stop);
        this.at = stop < 0 ? this.text.length : stop + 1;
        const content = withoutTabs ? line.replace(/^\t+/, "") : line;
        if (content === end) break;
        lines.push(content);
      }
      const body = lines.join("\n");
      const inner = this.createInner(body);
      command.input = isLiteral ? new WordBuilder().addQuoted(body).end() : inner.readExpanded();
      if (!isLiteral) this.mergeInner(inner);
    }
  }
}
