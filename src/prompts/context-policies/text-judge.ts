import type { DataClass, FindingClass } from '../../kernel/firewall/vocabulary.js';

/** What stands in a text, by the firewall of the chat path. The matched text is not kept. */
export interface TextJudgement {
  /** The highest class of data that was found or that nothing reads; C0 where there is none. */
  readonly dataClass: DataClass;
  /** What was found, each class once. */
  readonly findings: readonly FindingClass[];
}

/** Judges a text of the product's own, in the thread that asks. It depends on the text only. */
type TextJudge = (text: string) => TextJudgement;

/**
 * Judges texts of a caller's choice, in their order; long ones without holding the event loop.
 * @param owner the organization that waits for them
 * @throws firewall_scan_too_long
 */
type TextsJudge = (texts: readonly string[], owner: string) => Promise<readonly TextJudgement[]>;

declare module '../../graph/ctx.js' {
  interface Services {
    readonly judgeText: TextJudge;
    readonly judgeTexts: TextsJudge;
  }
}
