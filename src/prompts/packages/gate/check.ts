import type { Sealable } from '../../../kernel/canonical.js';
import type { GateCheck } from './tables.js';
import type { CheckStatus, GateCheckCode } from './vocabulary.js';

/** A check that has ended. */
export function ended(
  code: GateCheckCode,
  status: CheckStatus,
  message: string,
  details: readonly Sealable[] = [],
): GateCheck {
  return { code, status, message, details };
}

/** A check that passes where nothing was found, and else ends as stated. */
export function unlessFound(
  code: GateCheckCode,
  found: readonly Sealable[],
  otherwise: CheckStatus,
  texts: { readonly none: string; readonly some: string },
): GateCheck {
  if (found.length === 0) return ended(code, 'pass', texts.none);
  return ended(code, otherwise, texts.some, found);
}

/** Names in a sentence; a long list is cut. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED_MAX).join(', ');
  return names.length > LISTED_MAX ? `${shown} and ${names.length - LISTED_MAX} more` : shown;
}

const LISTED_MAX = 20;
