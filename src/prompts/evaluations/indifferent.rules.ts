import { ANSWER_PROBES } from '../../kernel/answer-probes.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { WorkStopped, withinTime } from '../../kernel/json-schema/within-time.js';
import { compileOutputSchema } from '../packages/gate/output-schema.js';
import { fixedGrades, parsedJson } from './graders.rules.js';
import type { PromptCase } from './tables.js';

/** What all probes of one case may take, in milliseconds. */
const PROBING_MS_MAX = 500;

/**
 * Whether a case says nothing of an answer that it passes: no model judges it by more than the
 * lowest score, and its rules and its schema would pass an answer that was given without having
 * read the question, or the question itself.
 */
export function isIndifferent(given: PromptCase, schema: JsonObject | null): boolean {
  if (given.graders.some(({ judge }) => judge !== null && judge.scoreMin > 0)) return false;
  const probes = [...ANSWER_PROBES, ...echoes(given)].filter(fitting(schema));
  try {
    return withinTime(PROBING_MS_MAX, () =>
      probes.some((answer) => {
        const grades = fixedGrades(given, answer);
        const isJudged = schema !== null || given.graders.length > 0 || grades.length > 0;
        return isJudged && grades.every(({ passed }) => passed === true);
      }),
    );
  } catch (thrown) {
    // Rules that take too long for a probe pass no answer either.
    if (!(thrown instanceof WorkStopped)) throw thrown;
    return false;
  }
}

/** What the case asks, given back: each message and each variable by itself, and all together. */
function echoes({ messages, variables }: PromptCase): string[] {
  const texts = messages.map(({ content }) => content);
  const values = Object.values(asObject(variables) ?? {}).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  return [...texts, ...values, texts.join('\n'), [...values, ...texts].join('\n')];
}

function fitting(schema: JsonObject | null): (answer: string) => boolean {
  if (schema === null) return () => true;
  const compiled = compileOutputSchema(schema);
  if (!compiled.compiled) return () => false;
  return (answer) => {
    const found = parsedJson(answer);
    return found !== undefined && compiled.faultsOf(found.json).length === 0;
  };
}
