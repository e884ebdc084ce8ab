import {
  FINDING_CLASSES,
  FIREWALL_MODES,
  type FindingClass,
  type FirewallMode,
  type FirewallModes,
} from './vocabulary.js';

const STRICTNESS = new Map<FirewallMode, number>(
  FIREWALL_MODES.map((row, rank) => [row.code, rank]),
);

function stricter(left: FirewallMode, right: FirewallMode): FirewallMode {
  return (STRICTNESS.get(left) ?? 0) >= (STRICTNESS.get(right) ?? 0) ? left : right;
}

/** Modes made class by class; the result has every class. */
function modesBy(mode: (code: FindingClass) => FirewallMode): FirewallModes {
  return Object.fromEntries(FINDING_CLASSES.map((row) => [row.code, mode(row.code)])) as Record<
    FindingClass,
    FirewallMode
  >;
}

/** The stricter mode of each class, where several policies apply to one request. */
export function strictestModes(left: FirewallModes, right: FirewallModes): FirewallModes {
  return modesBy((code) => stricter(left[code], right[code]));
}

/**
 * The modes that hold for text in which instructions are no attack: the tenant's own system
 * messages, embeddings, and what a model answers.
 */
export function withoutInjection(modes: FirewallModes): FirewallModes {
  return { ...modes, prompt_injection: 'off' };
}

/** True where a finding of some class changes the text. */
export function changesText(modes: FirewallModes): boolean {
  return FINDING_CLASSES.some((row) => replacesValue(modes[row.code]));
}

/** True where no class is looked for. */
export function looksForNothing(modes: FirewallModes): boolean {
  return FINDING_CLASSES.every((row) => modes[row.code] === 'off');
}

/** True where a value found under this mode must not leave as it is. */
export function replacesValue(mode: FirewallMode): boolean {
  return mode === 'mask' || mode === 'block';
}
