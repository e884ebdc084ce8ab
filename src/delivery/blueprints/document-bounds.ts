import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { asObject, isDeeperThan } from '../../kernel/json.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Levels of a document: one that is deeper is not looked at. */
const LEVELS_MAX = 40;

/** Why a document cannot be looked at at all; none where it can. */
export function documentFaults(path: string, document: unknown): Fault[] {
  if (!asObject(document)) return [fault(path, 'wrong_type', 'must be an object')];
  if (isDeeperThan(document, LEVELS_MAX)) {
    return [fault(path, 'out_of_range', `is nested deeper than ${LEVELS_MAX} levels`)];
  }
  const { manifestBytesMax: max } = BLUEPRINT_BOUNDS;
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes > max) {
    return [fault(path, 'out_of_range', `has ${bytes} bytes as JSON; at most ${max} are taken`)];
  }
  try {
    // A manifest is hashed as canonical JSON, which has to be able to carry it.
    canonicalJson(document as Sealable);
    return [];
  } catch (error) {
    const why = (error as Error).message.slice(0, 200);
    return [fault(path, 'invalid', `cannot be written exactly: ${why}`)];
  }
}
