import { LRUCache } from 'lru-cache';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { type CompiledSchema, compileOutputSchema } from '../packages/gate/output-schema.js';
import type { PromptInUse } from '../prompt-cache.js';

/** Milliseconds that checking one choice may hold up a node. */
const CHECK_MS_MAX = 200;

/** Schemas that are kept compiled. */
const CHECKERS_MAX = 500;

/** Checks the text of one choice. Undefined where its schema is not used on this node. */
type Checker = ((content: unknown) => boolean) | undefined;

/** By content hash, which covers the schema: versions are read anew more often than they change. */
const CHECKERS = new LRUCache<string, { checker: Checker }>({ max: CHECKERS_MAX });

/**
 * Whether every choice of a whole answer is JSON that the version's output schema takes.
 * Undefined where this is not measured: without a schema, for calls of tools, and where the schema
 * cannot be compiled or has once taken too long.
 */
export function schemaValidity(prompt: PromptInUse, answer: JsonObject): boolean | undefined {
  const { outputSchema, contentHash } = prompt;
  if (!outputSchema) return undefined;
  const messages = ((answer.choices ?? []) as JsonObject[]).map(({ message }) => asObject(message));
  if (messages.some((message) => Array.isArray(message?.tool_calls))) return undefined;
  const known = CHECKERS.get(contentHash) ?? {
    checker: unlessThrown(() => compiled(outputSchema)),
  };
  CHECKERS.set(contentHash, known);
  const { checker } = known;
  if (!checker) return undefined;
  const valid = unlessThrown(() => messages.every((message) => checker(message?.content)));
  if (valid === undefined) known.checker = undefined;
  return valid;
}

/**
 * The result of work; undefined where it passed its limit of time or went too deep. The provider
 * has answered by now, and no check may cost the client that answer.
 */
function unlessThrown<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function compiled(outputSchema: JsonObject): Checker {
  const schema: CompiledSchema = compileOutputSchema(outputSchema, CHECK_MS_MAX);
  if (!schema.compiled) return undefined;
  return (content) => {
    const value = parsed(content);
    return value !== undefined && schema.faultsOf(value.json).length === 0;
  };
}

function parsed(content: unknown): { readonly json: unknown } | undefined {
  if (typeof content !== 'string') return undefined;
  try {
    return { json: JSON.parse(content) };
  } catch {
    return undefined;
  }
}
