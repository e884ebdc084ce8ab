import type { JsonObject } from '../../../kernel/json.js';
import type { SchemaChangeCode } from './vocabulary.js';

/** A change of an output schema before its row of the vocabulary is looked up. */
export interface FoundChange {
  readonly code: SchemaChangeCode;
  readonly path: string;
  readonly message: string;
}

/** A change at a place; the message says where. */
export function found(code: SchemaChangeCode, path: string, what: string): FoundChange {
  return { code, path, message: `${path}: ${what}.` };
}

/** A change whose effect cannot be told. */
export function incomparable(path: string, keyword: string): FoundChange {
  return found('not_comparable', path, `${keyword} changed in a way that cannot be compared`);
}

/** Two schemas at the same place of the output, and how their parts are compared. */
export interface Pair {
  readonly from: JsonObject;
  readonly to: JsonObject;
  readonly path: string;
  /** The changes between two parts at the same place of the output. */
  readonly diff: (from: unknown, to: unknown, path: string) => FoundChange[];
  /** Whether two parts say the same, references included. */
  readonly same: (from: unknown, to: unknown) => boolean;
}
