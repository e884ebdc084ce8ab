import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { LINEAR_TIME } from '../../kernel/json-schema/patterns.js';
import { pathSteps, valueAt } from './json-path.rules.js';
import { textSimilarity } from './similarity.rules.js';
import type { Grade, Grader, PromptCase, RuleGrader } from './tables.js';
import type { CaseOutcome } from './vocabulary.js';

/**
 * What the fixed graders of a case say of an answer, in the order of the case; judging models are
 * asked elsewhere. Without graders the expected output is one: an answer must equal it. The same
 * case and answer always get the same grades, and no message repeats the answer.
 */
export function fixedGrades({ graders, expectedOutput }: PromptCase, answer: string): Grade[] {
  if (graders.length === 0 && expectedOutput !== null) {
    const isEqual = equal(answer, expectedOutput);
    const message = isEqual ? null : 'The answer differs from the expected output.';
    return [{ grader: 'expected', passed: isEqual, score: null, message }];
  }
  return graders.flatMap((grader) => fixedGrade(grader, expectedOutput ?? '', answer));
}

function fixedGrade({ rule, similarity }: Grader, expected: string, answer: string): Grade[] {
  if (rule) return [ruleGrade(rule, answer)];
  if (!similarity) return [];
  const score = Math.round(textSimilarity(answer, expected) * 10_000) / 10_000;
  const passed = score >= similarity.shareMin;
  const message = passed ? null : `The similarity ${score} is below ${similarity.shareMin}.`;
  return [{ grader: 'similarity', passed, score, message }];
}

function ruleGrade(rule: RuleGrader, answer: string): Grade {
  const passed = holds(rule, answer);
  const message = passed ? null : `The rule ${rule.kind} does not hold.`;
  return { grader: 'rule', passed, score: null, message };
}

function holds({ kind, value, path, json }: RuleGrader, answer: string): boolean {
  const wanted = value ?? '';
  switch (kind) {
    case 'equals':
      return equal(answer, wanted);
    case 'contains':
      return answer.includes(wanted);
    case 'not_contains':
      return !answer.includes(wanted);
    case 'regex':
      return LINEAR_TIME(wanted).test(answer);
    case 'json_path': {
      const found = valueAt(parsedJson(answer)?.json, pathSteps(path ?? '') ?? []);
      return json === null ? found != null : found !== undefined && sameJson(found, json);
    }
  }
}

/** As JSON where both are JSON, else as trimmed text. */
function equal(one: string, other: string): boolean {
  const [left, right] = [parsedJson(one), parsedJson(other)];
  return left && right ? sameJson(left.json, right.json) : one.trim() === other.trim();
}

function sameJson(one: unknown, other: unknown): boolean {
  try {
    return canonicalJson(one as Sealable) === canonicalJson(other as Sealable);
  } catch {
    // What has no exact form, such as 1e400 or too many levels, equals nothing.
    return false;
  }
}

/** The value of a JSON text; undefined where it is none. */
export function parsedJson(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * How a case ended that was answered. One grade against it decides; else one that is missing leaves
 * it unproved, and so does a case that nothing judges.
 */
export function outcomeOf(grades: readonly Grade[]): CaseOutcome {
  if (grades.some(({ passed }) => passed === false)) return 'failed';
  const isJudged = grades.length > 0 && grades.every(({ passed }) => passed === true);
  return isJudged ? 'passed' : 'unproved';
}

/** What a judging model said: a score from 0 to 1. Undefined for anything else. */
export function judgedScore(answer: string): number | undefined {
  const found = parsedJson(answer)?.json;
  if (typeof found !== 'object' || found === null || !Object.hasOwn(found, 'score')) {
    return undefined;
  }
  const { score } = found as { readonly score: unknown };
  return typeof score === 'number' && score >= 0 && score <= 1 ? score : undefined;
}
