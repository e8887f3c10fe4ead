/** What rules say of the files that a call comes to, thousands of them in one call. */
import type { FileRules } from "../../../lib/files/file-rules.ts";
import { SUBJECT_KINDS, type SubjectKind } from "../argument-kinds.ts";
import { CallTexts } from "../call-texts.ts";
import type { Candidates } from "../candidates.ts";
import type { Circumstances, CompiledRule } from "../compiled-rule.ts";
import type { CallFacts } from "../pattern.ts";
import { CommandLines } from "../shell/shell-words.ts";
import type { Subjects } from "../subjects.ts";
import { weigh } from "../weigh.ts";
import { FilePaths, type Ground, normalGround } from "./place-names.ts";

/** A call, and the rules that are about its tool. */
export interface FileCall {
  readonly own: readonly Candidates[];
  readonly project: Candidates;
  readonly args: CallFacts["args"];
  readonly declares: CallFacts["declares"];
  readonly ground: Ground;
  readonly labels: ReadonlySet<string>;
  /** The asks that match the call itself: whatever let it run has answered them. */
  readonly answered: ReadonlySet<CompiledRule>;
  /** A person is nobody they would have to ask. */
  readonly isOperator: boolean;
}

const NOTHING: readonly string[] = [];
const DECLARED: ReadonlySet<SubjectKind> = new Set(SUBJECT_KINDS.filter((kind) => kind === "path"));

/** Prepared once a call. An ask leaves a file out, as a deny does: nobody is asked about single files of a walk. */
export class FileDecisions implements FileRules {
  readonly #call: FileCall;
  readonly #isConditional: boolean;
  readonly #workspace: string;
  readonly #commands = new CommandLines();
  /** Final denies that may leave out whole folders. */
  readonly #finals: readonly CompiledRule[];
  #always: boolean | undefined;

  constructor(call: FileCall) {
    const all = [...call.own, call.project];
    this.#call = call;
    this.#isConditional = all.some(({ isConditional }) => isConditional);
    this.#workspace = normalGround(call.ground).workspace;
    this.#finals = all.flatMap(({ final }) => final.all).filter(({ rule }) => rule.unless === undefined);
  }

  permits(named: readonly string[], also: readonly string[] = NOTHING): boolean {
    if (this.#isConditional) return this.#decide(named, also);
    this.#always ??= this.#decide(named, also);
    return this.#always;
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
    const { own, project, labels, answered, isOperator } = this.#call;
    const facts = this.#facts(named, also);
    let texts: CallTexts | undefined;
    const circumstances: Circumstances = {
      labels,
      facts: () => facts,
      // A file has no command to doubt.
      doubted: new Set(),
      texts: () => {
        texts ??= new CallTexts(facts);
        return texts;
      },
    };
    const winner = weigh(own, project, (rules, test) => rules.first(circumstances, test));
    if (!winner || winner.rule.action === "allow") return true;
    return winner.rule.action === "ask" && (isOperator || answered.has(winner));
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
      more: false,
    };
    return { args, declares, subjects, paths: new FilePaths(this.#workspace, also, this.#commands) };
  }
}
