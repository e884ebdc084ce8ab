import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import {
  fieldTable,
  flag,
  list,
  object,
  optional,
  sha256,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import type { DecisionInputs } from './decide.rules.js';
import { explainRoute } from './explain.rules.js';
import { DECISION_FIELDS, FEATURES, SITUATION_FIELDS, type Situation } from './tables.js';

/** The longest name under which a decision is sealed. */
export const REQUEST_ID = { max: 128 };

const SITUATION = fieldTable(
  'RoutingSituation',
  'Everything that a decision was made by, apart from the request itself.',
  SITUATION_FIELDS,
);

const INPUTS = fieldTable(
  'RoutingDecisionInputs',
  'What a decision follows from: given again, it is made again.',
  {
    features: object(FEATURES, 'What was read of the request.'),
    situation: object(SITUATION, 'The terms, the kill switch and the models at that moment.'),
    incumbent: optional(text('The model that answered such requests then; null where none had.')),
    seed: text('What all chance came from.'),
    useCase: optional(
      text(
        'What the request was for, as it says; null in receipts from before this was kept. The ' +
          'situation is that of `default` where nothing is laid down or reported of it.',
      ),
    ),
  },
);

/** What a receipt of a decision holds; every kind of such receipts seals these fields. */
export const SEALED_DECISION_FIELDS = {
  requestId: text('What was decided about; it is decided and sealed once.', REQUEST_ID),
  ...DECISION_FIELDS,
  situationSha256: sha256('SHA-256 of the canonical text of the situation.'),
  inputs: object(INPUTS, 'What the decision follows from.'),
} as const;

/** A decision with its inputs, as it is sealed. */
export type SealedDecision = ValuesOf<typeof SEALED_DECISION_FIELDS>;

/** What a decision follows from, and what its request is for. */
export type StatedInputs = DecisionInputs & { readonly useCase?: string | null };

/** Decides about a request, and gives what is sealed of it. */
export function sealedDecision(requestId: string, inputs: StatedInputs): SealedDecision {
  const { features, situation, incumbent, seed, useCase = null } = inputs;
  return {
    requestId,
    ...explainRoute(inputs),
    situationSha256: situationSha256(situation),
    inputs: { features, situation, incumbent, seed, useCase },
  };
}

/** Members that situations have had since later: without a value they are not in the text. */
const ADDED = ['ties', 'when_unmeasured', 'answered_basis_points'];

/**
 * The canonical text of a situation, which its hash is of. A situation from before a member was
 * added has none of it, so that its hash stays what it was.
 */
export function situationText(situation: Situation): string {
  const { terms, models, ...rest } = sealedContent(SITUATION_FIELDS, situation);
  const each = (models as readonly SealedContent[]).map(withoutAdded);
  const all = { ...rest, terms: withoutAdded(terms as SealedContent), models: each };
  return canonicalJson(withoutAdded(all));
}

function withoutAdded(content: SealedContent): SealedContent {
  const kept = Object.entries(content).filter(
    ([name, value]) => value !== null || !ADDED.includes(name),
  );
  return Object.fromEntries(kept);
}

/** The hash that names a situation, as hexadecimal digits. */
function situationSha256(situation: Situation): string {
  return createHash('sha256').update(situationText(situation)).digest('hex');
}

/** A figure of a decision that came out differently when it was made again. */
const DIFFERENCE = fieldTable('RoutingDifference', 'A part of a decision that differs.', {
  path: text('Where it stands, such as `candidates.2.rejection`.'),
  sealed: text('What was sealed, as JSON.'),
  recomputed: text('What its inputs give now, as JSON.'),
});
export type RoutingDifference = ValuesOf<typeof DIFFERENCE.fields>;

/** What making a sealed decision again showed. */
export const RE_EXECUTION = fieldTable(
  'RoutingReexecution',
  'What came out when a sealed decision was made again from its sealed inputs.',
  {
    identical: flag('Whether every part of it came out the same.'),
    differences: list(object(DIFFERENCE, 'A part.'), 'What came out differently.'),
  },
);
export type Reexecution = ValuesOf<typeof RE_EXECUTION.fields>;

/** Decision and hash without what they were made from. */
const { inputs: _, ...RECOMPUTED_FIELDS } = SEALED_DECISION_FIELDS;

/** Makes a sealed decision again from its inputs, and compares part by part. Pure. */
export function reexecute(content: SealedDecision): Reexecution {
  const again = sealedDecision(content.requestId, content.inputs);
  const differences = differencesOf(
    sealedContent(RECOMPUTED_FIELDS, content),
    sealedContent(RECOMPUTED_FIELDS, again),
  );
  return { identical: differences.length === 0, differences };
}

/** Where two contents differ, by paths. */
function differencesOf(sealed: Sealable, recomputed: Sealable, path = ''): RoutingDifference[] {
  if (isNested(sealed) && isNested(recomputed)) {
    const names = new Set([...Object.keys(sealed), ...Object.keys(recomputed)]);
    return [...names].flatMap((name) => {
      const at = path === '' ? name : `${path}.${name}`;
      return differencesOf(sealed[name] ?? null, recomputed[name] ?? null, at);
    });
  }
  const [before, after] = [canonicalJson(sealed), canonicalJson(recomputed)];
  return before === after ? [] : [{ path, sealed: before, recomputed: after }];
}

function isNested(value: Sealable): value is Readonly<Record<string, Sealable>> {
  return typeof value === 'object' && value !== null;
}
