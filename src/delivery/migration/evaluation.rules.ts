import { createHash } from 'node:crypto';
import { passesAnything } from '../../kernel/answer-probes.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { wireName } from '../../kernel/fields/names.js';
import { asObject } from '../../kernel/json.js';
import { JsonSchemas } from '../../kernel/json-schema/schemas.js';
import type { EVALUATION_ITEM_INPUT, Expectation } from './tables.js';
import { BOUNDS, COMPARISON } from './vocabulary.js';

/** One item of an evaluation set: `input` or `messages`. */
export type EvaluationItem = Partial<
  Omit<ValuesOf<typeof EVALUATION_ITEM_INPUT.fields>, 'expect'>
> & {
  readonly expect: Expectation;
};

/** Judges an answer. */
export type Judge = (answer: string) => boolean;

const KINDS = ['equals', 'contains', 'startsWith', 'jsonSchema'] as const;

/** What no table can say of an evaluation set. One that is too long is not looked through. */
export function evaluationFaults(items: readonly EvaluationItem[], path: string): Fault[] {
  if (items.length > COMPARISON.evaluationItemsMax) return [];
  const questions = items.map(questionOf);
  return items.flatMap(({ input, messages, expect }, index) => [
    ...fits(
      `${path}.${index}`,
      questions.indexOf(questions[index] ?? '') === index,
      'asks what an earlier item asks',
    ),
    ...fits(
      `${path}.${index}`,
      (input == null) !== (messages == null),
      'must have either input or messages',
    ),
    ...expectationFaults(expect, `${path}.${index}.expect`),
  ]);
}

/** The same for items that ask the same: repeating a question makes no evidence. */
function questionOf({ input, messages }: EvaluationItem): string {
  return JSON.stringify(messages?.map(({ role, content }) => [role, content]) ?? input ?? null);
}

function expectationFaults(expect: Expectation, path: string): Fault[] {
  const given = KINDS.filter((kind) => expect[kind] != null);
  if (given.length !== 1) {
    const names = KINDS.map(wireName).join(', ');
    return fits(path, false, `must have exactly one of ${names}`);
  }
  const [kind] = given as [(typeof KINDS)[number]];
  if (kind === 'jsonSchema') return SCHEMAS.schemaFaults(`${path}.${kind}`, expect.jsonSchema);
  const what = 'must have at least one character';
  return expect[kind] === '' ? [fault(`${path}.${kind}`, 'out_of_range', what)] : [];
}

/**
 * Schemas of expectations are sent to models too, which take keywords of their own: what is not
 * known is a remark. Hundreds of answers are judged by them, so nothing in them can take long.
 */
const SCHEMAS = new JsonSchemas({
  users: 'expectations',
  keywords: 'any',
  formats: 'unchecked',
  patternCharsMax: 0,
  references: false,
  nodesMax: BOUNDS.schemaCharsMax,
  charsMax: BOUNDS.schemaCharsMax,
  workMsMax: 1_000,
  stopped: 'fault',
});

/**
 * The judge of an expectation that has no fault. An answer longer than 20,000 characters does not
 * pass, whatever is expected.
 */
export function judgeOf(expect: Expectation): Judge {
  const judge = unboundedJudge(expect);
  return (answer) => answer.length <= BOUNDS.inputCharsMax && judge(answer);
}

function unboundedJudge({ equals, contains, startsWith, jsonSchema }: Expectation): Judge {
  if (equals != null) return (answer) => answer.trim() === equals.trim();
  if (contains != null) return (answer) => answer.includes(contains);
  if (startsWith != null) return (answer) => answer.trimStart().startsWith(startsWith);
  const schema = asObject(jsonSchema);
  if (!schema) throw new TypeError('an expectation has one of its members');
  return (answer) => {
    const value = parsed(answer);
    return value !== undefined && SCHEMAS.valueFaults(schema, value.json, 'answer').length === 0;
  };
}

function parsed(answer: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(answer) };
  } catch {
    return undefined;
  }
}

/** So many different outputs of the source are compared with each expectation. */
const OTHER_OUTPUTS_MAX = 50;

/** The different outputs of the source that a set has, as far as items are compared with them. */
export function outputsOf(items: readonly EvaluationItem[]): readonly string[] {
  const outputs = items.flatMap(({ sourceOutput }) => sourceOutput?.trim() ?? []);
  return [...new Set(outputs)].slice(0, OTHER_OUTPUTS_MAX);
}

/**
 * Whether an expectation does not tell answers apart: it passes an answer that was given without
 * having read the question, or beside the output of the source to this item also another one of the
 * set.
 */
export function provesNothing(
  { expect, sourceOutput }: EvaluationItem,
  outputs: readonly string[],
): boolean {
  const judge = judgeOf(expect);
  if (passesAnything(judge)) return true;
  const own = sourceOutput?.trim();
  if (own === undefined || !judge(own)) return false;
  return outputs.some((output) => output !== own && judge(output));
}

/** The messages of an item. */
export function messagesOf({ input, messages }: EvaluationItem) {
  return messages ?? [{ role: 'user', content: input ?? '' }];
}

/** sha256 of a set as RFC 8785 JSON, in hexadecimal: it proves which set was run. */
export function evaluationHash(items: readonly EvaluationItem[]): string {
  const stated = items.map((item) => ({
    messages: messagesOf(item).map(({ role, content }) => ({ role, content })),
    expect: Object.fromEntries(
      KINDS.filter((kind) => item.expect[kind] != null).map((kind) => [
        wireName(kind),
        item.expect[kind] as Sealable,
      ]),
    ),
    source_output: item.sourceOutput ?? null,
    ...(item.useCase == null ? {} : { use_case: item.useCase }),
  }));
  return createHash('sha256').update(canonicalJson(stated), 'utf8').digest('hex');
}
