/** Decisions about the files that a call comes across, thousands of them in one call. */
import type { FileRules } from "../../../lib/files/file-rules.ts";
import { SUBJECT_KINDS, type SubjectKind } from "../argument-kinds.ts";
import { CallTexts } from "../call-texts.ts";
import type { Candidates } from "../candidates.ts";
import type { Circumstances, CompiledRule } from "../compiled-rule.ts";
import type { CallFacts } from "../pattern.ts";
import { CommandLines } from "../shell/shell-words.ts";
import type { Subjects } from "../subjects.ts";
import { weigh } from "../weigh.ts";
import { FilePaths, normalizeBase, type PathBase } from "./path-readings.ts";

/** A call, and the rules about its tool. */
export interface FileCall {
  readonly own: readonly Candidates[];
  readonly project: Candidates;
  readonly args: CallFacts["args"];
  readonly declares: CallFacts["declares"];
  readonly pathBase: PathBase;
  readonly labels: ReadonlySet<string>;
  /** The asks that match the call itself: they were answered before it ran. */
  readonly answeredAsks: ReadonlySet<CompiledRule>;
  /** A person need not be asked. */
  readonly isOperator: boolean;
}

const NOTHING: readonly string[] = [];
const DECLARED: ReadonlySet<SubjectKind> = new Set(SUBJECT_KINDS.filter((kind) => kind === "path"));

/** Prepared once per call. An ask excludes a file just as a deny does: nobody is asked about single files of a walk. */
export class FileDecisions implements FileRules {
  readonly #call: FileCall;
  readonly #isConditional: boolean;
  readonly #workspace: string;
  readonly #commands = new CommandLines();
  /** Final denies that may exclude whole folders. */
  readonly #finals: readonly CompiledRule[];
  #constantAnswer: boolean | undefined;

  constructor(call: FileCall) {
    const all = [...call.own, call.project];
    this.#call = call;
    this.#isConditional = all.some(({ isConditional }) => isConditional);
    this.#workspace = normalizeBase(call.pathBase).workspace;
    this.#finals = all.flatMap(({ final }) => final.all).filter(({ rule }) => rule.unless === undefined);
  }

  permits(named: readonly string[], also: readonly string[] = NOTHING): boolean {
    if (this.#isConditional) return this.#decide(named, also);
    this.#constantAnswer ??= this.#decide(named, also);
    return this.#constantAnswer;
  }

  deniesAllBelow(named: readonly string[], also: readonly string[] = NOTHING): boolean {
    if (this.#finals.length === 0) return false;
    const facts = this.#facts(named, also);
    return this.#finals.some(
      ({ rule: { after }, pattern }) =>
        (after === undefined || this.#call.labels.has(after)) && pattern?.catchesBelow(facts) === true,
    );
  }

  #decide(named: readonly string[], also: readonly string[]): boolean {
    const { own, project, labels, answeredAsks, isOperator } = this.#call;
    const facts = this.#facts(named, also);
    let texts: CallTexts | undefined;
    const circumstances: Circumstances = {
      labels,
      facts: () => facts,
      // A file has no command that could be uncertain.
      uncertainDenies: new Set(),
      texts: () => {
        texts ??= new CallTexts(facts);
        return texts;
      },
    };
    const winner = weigh(own, project, (rules, test) => rules.findFirst(circumstances, test));
    if (!winner || winner.rule.action === "allow") return true;
    return winner.rule.action === "ask" && (isOperator || answeredAsks.has(winner));
  }

  #facts(named: readonly string[], also: readonly string[]): CallFacts {
    const { args, declares } = this.#call;
    const subjects: Subjects = {
      path: also.length === 0 ? named : [...named, ...also],
      host: NOTHING,
      command: NOTHING,
      declared: DECLARED,
      unclear: { path: NOTHING, host: NOTHING },
      hostInCommand: NOTHING,
      hasEnvironment: false,
      isTruncated: false,
    };
    return { args, declares, subjects, paths: new FilePaths(this.#workspace, also, this.#commands) };
  }
}
