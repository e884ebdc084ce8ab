import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { BOUNDS, COMPARISON } from './vocabulary.js';

/** What an answer must be to pass; exactly one member is given. */
export interface Expectation {
  /** The whole answer, white space at both ends aside. */
  readonly equals?: string | null;
  readonly contains?: string | null;
  readonly startsWith?: string | null;
  /** The answer is JSON text that fits this schema. */
  readonly jsonSchema?: unknown;
}

/** One item of an evaluation set: `input` or `messages`. */
export interface EvaluationItem {
  readonly input?: string | null;
  readonly messages?: readonly { readonly role: string; readonly content: string }[] | null;
  readonly expect: Expectation;
  /** What the source answered, so that it is judged by the same expectation. */
  readonly sourceOutput?: string | null;
}

/** Judges an answer. */
export type Judge = (answer: string) => boolean;

const KINDS = ['equals', 'contains', 'startsWith', 'jsonSchema'] as const;
const WIRE: Readonly<Record<(typeof KINDS)[number], string>> = {
  equals: 'equals',
  contains: 'contains',
  startsWith: 'starts_with',
  jsonSchema: 'json_schema',
};

/** Half a surrogate pair cannot be written as JSON text that others read. */
const HALF_A_PAIR = /\p{Surrogate}/u;

/** Every fault of an evaluation set, by the names of the REST body. */
export function evaluationFaults(items: readonly EvaluationItem[]): Fault[] {
  const { evaluationItemsMax: max } = COMPARISON;
  if (items.length === 0 || items.length > max) {
    return [out('evaluation_set', `evaluation_set must have from 1 to ${max} items.`)];
  }
  return items.flatMap((item, index) => itemFaults(item, `evaluation_set.${index}`));
}

function itemFaults(item: EvaluationItem, path: string): Fault[] {
  const { inputCharsMax, messagesMax } = BOUNDS;
  const faults: Fault[] = [];
  const { input, messages, sourceOutput } = item;
  if ((input == null) === (messages == null)) {
    faults.push(invalid(path, `${path} must have either input or messages.`));
  }
  if (messages != null && (messages.length === 0 || messages.length > messagesMax)) {
    faults.push(out(`${path}.messages`, `${path}.messages must be from 1 to ${messagesMax}.`));
  }
  const texts: [string, string | null | undefined][] = [
    [`${path}.input`, input],
    [`${path}.source_output`, sourceOutput],
    [`${path}.expect.equals`, item.expect.equals],
    [`${path}.expect.contains`, item.expect.contains],
    [`${path}.expect.starts_with`, item.expect.startsWith],
    ...(messages ?? []).map(({ content }, index): [string, string] => [
      `${path}.messages.${index}.content`,
      content,
    ]),
  ];
  for (const [at, text] of texts) {
    if (text == null) continue;
    const min = at.endsWith('source_output') ? 0 : 1;
    if (text.length < min || text.length > inputCharsMax || HALF_A_PAIR.test(text)) {
      faults.push(out(at, `${at} must have from ${min} to ${inputCharsMax} characters.`));
    }
  }
  return [...faults, ...expectationFaults(item.expect, `${path}.expect`)];
}

function expectationFaults(expect: Expectation, path: string): Fault[] {
  const given = KINDS.filter((kind) => expect[kind] != null);
  if (given.length !== 1) {
    const names = KINDS.map((kind) => WIRE[kind]).join(', ');
    return [invalid(path, `${path} must have exactly one of ${names}.`)];
  }
  if (expect.jsonSchema == null) return [];
  const compiled = compileSchema(expect.jsonSchema);
  if (typeof compiled === 'function') return [];
  return [invalid(`${path}.json_schema`, `${path}.json_schema ${compiled}.`)];
}

const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef', '$async']);

/**
 * Compiles the schema of an expectation, or says what is wrong with it. References and patterns
 * are refused: both let a small schema take unbounded time.
 */
function compileSchema(schema: unknown): ValidateFunction | string {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return 'must be an object';
  }
  if (JSON.stringify(schema).length > BOUNDS.schemaCharsMax) {
    return `must have at most ${BOUNDS.schemaCharsMax} characters`;
  }
  const reference = namesWithin(schema).find((name) => REFERENCES.has(name));
  if (reference) return `must be written in one piece, without ${reference}`;
  try {
    canonicalJson(schema as Sealable);
    return newCompiler().compile(schema);
  } catch (error) {
    return `cannot be used: ${(error as Error).message.slice(0, 200)}`;
  }
}

function newCompiler(): Ajv2020 {
  const regExp = (pattern: string): RegExp => {
    throw new Error(`patterns such as ${pattern} are not supported`);
  };
  return new Ajv2020({
    strict: false,
    // The meta-schema itself has patterns; the compiler checks each keyword's value all the same.
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: Object.assign(regExp, { code: 'refused' }) },
  });
}

function namesWithin(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesWithin(member)]);
}

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
  const compiled = compileSchema(jsonSchema);
  if (typeof compiled === 'string') throw new TypeError(`the schema ${compiled}`);
  return (answer) => {
    try {
      return compiled(JSON.parse(answer)) === true;
    } catch {
      return false;
    }
  };
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
        WIRE[kind],
        item.expect[kind] as Sealable,
      ]),
    ),
    source_output: item.sourceOutput ?? null,
  }));
  return createHash('sha256').update(canonicalJson(stated), 'utf8').digest('hex');
}

function out(path: string, message: string): Fault {
  return { path, code: 'out_of_range', message };
}

function invalid(path: string, message: string): Fault {
  return { path, code: 'invalid', message };
}
