import type { ValuesOf } from '../../kernel/fields/field.js';
import { mayBeSummarized } from './classify.rules.js';
import type { TRANSFORM_INPUT, TRANSFORM_RESULT_FIELDS } from './tables.js';
import { TRANSFORMS, type Transform } from './vocabulary.js';

/** What is to be transformed. */
export type TransformAsked = ValuesOf<typeof TRANSFORM_INPUT.fields>;
/** What transforms make of it. */
export type TransformResult = ValuesOf<typeof TRANSFORM_RESULT_FIELDS>;

/** What a projection lacks: which field of the input, and what it must be. */
export function lackingForTransform(asked: TransformAsked): readonly Lack[] {
  const { transforms, dataClass, text, tokens } = asked;
  const isClosed = transforms.includes('FREE_SUMMARY') && !mayBeSummarized(dataClass);
  return [
    ...(isClosed ? [CLASS_CLOSED] : []),
    ...(text === null && tokens === null ? [NOTHING_GIVEN] : []),
  ];
}

interface Lack {
  readonly field: keyof TransformAsked;
  readonly what: string;
}

const CLASS_CLOSED: Lack = {
  field: 'dataClass',
  what: 'must be C0, C1 or C2 where FREE_SUMMARY is asked',
};
const NOTHING_GIVEN: Lack = { field: 'text', what: 'or tokens are needed' };

const APPLIED: Readonly<Partial<Record<Transform, (text: string) => string>>> = {
  NORMALIZE_SPACE: (text) =>
    text
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  MINIFY_JSON: minified,
  DROP_REPEATED_PARAGRAPHS: (text) => [...new Set(text.split('\n\n'))].join('\n\n'),
};

const SPACE_BETWEEN = /("(?:[^"\\]|\\.)*")|\s+/g;

/** Numbers and repeated names stay as written; a text that is no JSON stays as a whole. */
function minified(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return text.replaceAll(SPACE_BETWEEN, '$1');
}

/**
 * Applies the transforms to a text as far as they can be, and takes the published share for the
 * others and for a length without a text. Nothing ever gets longer.
 */
export function transform(asked: TransformAsked, count: (text: string) => number): TransformResult {
  let { text } = asked;
  let tokens = text === null ? (asked.tokens ?? 0) : count(text);
  const beforeTokens = tokens;
  const steps: { transform: Transform; basis: Basis; afterTokens: number }[] = [];
  for (const name of asked.transforms) {
    const apply = APPLIED[name];
    const basis = text !== null && apply ? 'computed' : 'estimated';
    if (text !== null && apply) {
      text = apply(text);
      tokens = Math.min(tokens, count(text));
    } else {
      tokens = Math.ceil(tokens * (TRANSFORMS.find(name)?.share ?? 1));
      // What an estimate leaves has no text that a later transform could be applied to.
      text = null;
    }
    steps.push({ transform: name, basis, afterTokens: tokens });
  }
  const basis = steps.every((step) => step.basis === 'computed') ? 'computed' : 'estimated';
  return { basis, beforeTokens, afterTokens: tokens, savedTokens: beforeTokens - tokens, steps };
}

type Basis = TransformResult['basis'];
