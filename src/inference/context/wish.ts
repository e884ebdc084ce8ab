import { asObject } from '../../kernel/json.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
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
