import type { Operation } from '../../catalog/providers/vocabulary.js';
import { asObject } from '../../kernel/json.js';

/** The list that every answer of an operation has, and the object that each of its parts holds. */
const SHAPES = {
  chat: { list: 'choices', part: 'message', sure: /"choices"\s*:\s*\[\s*\{/ },
  embeddings: { list: 'data', part: undefined, sure: /"data"\s*:\s*\[\s*\{/ },
} as const;

const MESSAGE = /"message"\s*:\s*\{/;
/** What a message says is a text, a list of parts or null: no number, flag or object. */
const ODD_CONTENT = /"content"\s*:\s*[^"[n\s]/;
/** After an object in a list comes an object or nothing; after one in an object, a name. */
const ODD_PART = /\}\s*,\s*(?:[^"{\s]|"(?:[^"\\]|\\.)*"\s*[^:\s])/;

/**
 * Tells by its bytes, without parsing it, that a body is an answer: names of members stand in no
 * JSON string, since their quotes would be escaped.
 * @returns false where only parsing can tell
 */
export function surelyAnswers(body: Buffer, operation: Operation): boolean {
  const text = body.toString('latin1');
  const end = text.trimEnd();
  if (!text.trimStart().startsWith('{') || !end.endsWith('}') || text.includes('"error"')) {
    return false;
  }
  if (!SHAPES[operation].sure.test(text)) return false;
  if (operation !== 'chat') return true;
  return MESSAGE.test(text) && !ODD_PART.test(text) && !ODD_CONTENT.test(text);
}

/**
 * True for a parsed body with at least one choice or one embedding, all of them objects, and where
 * what a message says is something that can be said.
 */
export function answers(parsed: unknown, operation: Operation): boolean {
  const { list, part } = SHAPES[operation];
  const parts = asObject(parsed)?.[list];
  if (!Array.isArray(parts) || parts.length === 0) return false;
  return parts.map(asObject).every((one) => one && (part === undefined || says(one[part])));
}

function says(message: unknown): boolean {
  const said = asObject(message);
  if (!said) return false;
  const { content = null } = said;
  return content === null || typeof content === 'string' || Array.isArray(content);
}
