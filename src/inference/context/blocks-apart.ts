import { asObject, type JsonObject } from '../../kernel/json.js';
import type { InferenceRequest } from '../request.js';
import { BETWEEN } from './compile-context.js';

/** A body in which each kept block of `gw_context` is a part of its message. */
interface BlocksApart {
  readonly body: JsonObject;
  /** The message that holds the blocks. */
  readonly index: number;
}

/**
 * The body with the kept blocks as parts of their message, so that what is read over the seams of
 * parts is read over those of blocks: whoever cuts a text into blocks cuts values, too. Undefined
 * where there are not two blocks.
 */
export function blocksApart({
  body,
  context,
  compiled,
}: InferenceRequest): BlocksApart | undefined {
  if (!context || !compiled || !Array.isArray(body.messages)) return undefined;
  const kept = new Set(compiled.compiled.kept);
  const texts = context.blocks.flatMap(({ id, text }) => (kept.has(id) ? [text] : []));
  if (texts.length < 2) return undefined;
  const together = texts.join(BETWEEN);
  const messages = body.messages as readonly JsonObject[];
  const index = messages.findIndex(
    ({ role, content }) => role === context.role && content === together,
  );
  if (index < 0) return undefined;
  const content = texts.map((text) => ({ type: 'text', text }));
  return {
    body: { ...body, messages: messages.with(index, { ...messages[index], content }) },
    index,
  };
}

/** What a rewritten body with its blocks apart is with the blocks in one text again. */
export function blocksTogether(rewritten: JsonObject, { index }: BlocksApart): JsonObject {
  const messages = rewritten.messages as readonly JsonObject[];
  const message = messages[index];
  const parts = message?.content as readonly unknown[];
  const content = parts.map((part) => String(asObject(part)?.text ?? '')).join(BETWEEN);
  return { ...rewritten, messages: messages.with(index, { ...message, content }) };
}
