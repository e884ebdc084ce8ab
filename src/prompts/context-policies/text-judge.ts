import type { DataClass, FindingClass } from '../../kernel/firewall/vocabulary.js';

/** What stands in a text, by the firewall of the chat path. The matched text is not kept. */
export interface TextJudgement {
  /** The highest class of data that was found; C0 where nothing was. */
  readonly dataClass: DataClass;
  /** What was found, each class once. */
  readonly findings: readonly FindingClass[];
}

/** Judges a text. It depends on nothing but the text. */
export type TextJudge = (text: string) => TextJudgement;

declare module '../../graph/ctx.js' {
  interface Services {
    readonly judgeText: TextJudge;
  }
}
