import type { ValuesOf } from '../../kernel/fields/field.js';
import { asObject } from '../../kernel/json.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { COMPILED } from '../../routing/workloads/tables.js';
import type { PRIORITIES } from '../../routing/workloads/vocabulary.js';
import type { CONTEXT_POSITIONS, CONTEXT_ROLES } from './vocabulary.js';

/** A block that may be sent. */
export interface ContextBlock {
  readonly id: string;
  readonly text: string;
  readonly priority: CodeOf<typeof PRIORITIES>;
  readonly value?: number | null;
}

/** What a chat request asks the compiler for. */
export interface ContextWish {
  readonly blocks: readonly ContextBlock[];
  /** The most tokens that the kept blocks may take; undefined leaves it to the window. */
  readonly tokensMax: number | undefined;
  readonly role: CodeOf<typeof CONTEXT_ROLES>;
  readonly position: CodeOf<typeof CONTEXT_POSITIONS>;
  /** What the member takes of the body, in bytes of JSON. */
  readonly bytes: number;
}

/** What became of the blocks of a request, for its receipt. */
export interface CompiledContext {
  readonly compiled: ValuesOf<typeof COMPILED.fields>;
  /** The model for whose window the blocks were chosen. */
  readonly model: string;
  readonly windowTokens: number;
  readonly outputTokens: number;
  readonly safetyTokens: number;
  /** What the messages take without the blocks. */
  readonly promptTokens: number;
  /** What images, sound and files take of that at most. */
  readonly mediaTokens: number;
  readonly objective: string;
}

/** Reads `gw_context` without faults; undefined where the request has none. */
export function readContextWish(value: unknown, bytes: number): ContextWish | undefined {
  const given = asObject(value);
  if (!given) return undefined;
  return {
    blocks: given.blocks as readonly ContextBlock[],
    tokensMax: (given.tokens_max as number | null | undefined) ?? undefined,
    role: (given.role as ContextWish['role'] | null | undefined) ?? 'system',
    position: (given.position as ContextWish['position'] | null | undefined) ?? 'before_last_user',
    bytes,
  };
}
