import type { Fault } from '../../kernel/errors/fail.js';
import { fault, oneOf } from '../../kernel/errors/faults.js';
import type { AnsweredQuestion } from '../trust/questionnaire.rules.js';
import type { DeclaredAnswer } from './tables.js';

/** A question of a pack with the answer that stands. */
export interface PackQuestion {
  readonly code: string;
  readonly section: string;
  readonly question: string;
  readonly answer: DeclaredAnswer['answer'] | null;
  readonly source: 'gateway' | 'declared' | 'nobody';
  readonly explanation: string;
}

/** The gateway's own answers stand; what it leaves open is answered by people, or stays open. */
export function packQuestions(
  answers: readonly AnsweredQuestion[],
  declared: readonly DeclaredAnswer[],
): readonly PackQuestion[] {
  const byQuestion = new Map(declared.map((each) => [each.question, each]));
  return answers.map(({ code, section, question, answer, explanation }) => {
    const common = { code, section, question };
    if (answer !== 'unknown') return { ...common, answer, source: 'gateway', explanation };
    const said = byQuestion.get(code);
    if (!said) return { ...common, answer: null, source: 'nobody', explanation };
    const why = said.comment ?? explanation;
    return { ...common, answer: said.answer, source: 'declared', explanation: why };
  });
}

/** Answered questions in percent of all, rounded down: 100 only where none is open. */
export function completionScore(questions: readonly PackQuestion[]): number {
  const answered = questions.filter(({ answer }) => answer !== null).length;
  return Math.floor((answered * 100) / questions.length);
}

/** What is wrong with given answers: unknown questions, doubled ones, and those of the gateway. */
export function answerFaults(
  given: readonly DeclaredAnswer[],
  answers: readonly AnsweredQuestion[],
): Fault[] {
  const byCode = new Map(answers.map((each) => [each.code, each]));
  return given.flatMap(({ question, answer }, index) => {
    const path = `input.answers.${index}.question`;
    const own = byCode.get(question);
    if (!own) return oneOf(path, question, [...byCode.keys()]);
    if (given.findIndex((other) => other.question === question) < index) {
      return [fault(path, 'invalid', 'is answered twice')];
    }
    if (own.answer === 'unknown' || own.answer === answer) return [];
    return [fault(path, 'invalid', `is answered by the gateway itself: ${own.answer}`)];
  });
}

/** The answers of people with newer ones in the place of older ones; the gateway's are not kept. */
export function answersWith(
  before: readonly DeclaredAnswer[],
  given: readonly DeclaredAnswer[],
  answers: readonly AnsweredQuestion[],
): readonly DeclaredAnswer[] {
  const open = new Set(answers.filter(({ answer }) => answer === 'unknown').map((one) => one.code));
  const merged = new Map([...before, ...given].map((each) => [each.question, each]));
  return [...merged.values()].filter(({ question }) => open.has(question));
}
