import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Capability } from '../../catalog/providers/vocabulary.js';
import { defaulting, integer, type ValuesOf } from '../../kernel/fields/field.js';
import { unreadDataClass } from '../../kernel/firewall/contents.js';
import { higherDataClass } from '../../kernel/firewall/data-class.rules.js';
import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { openRoutes } from '../data-routes.rules.js';
import { FEATURE_FIELDS, type Features } from './tables.js';

/** What a caller tells of a request that a router is asked about, without any text of it. */
export const STATED_REQUEST_FIELDS = {
  operation: defaulting(FEATURE_FIELDS.operation, 'chat'),
  inputTokens: defaulting(
    integer('About how many tokens its texts have.', FEATURE_FIELDS.textTokens.bounds as object),
    1_000,
  ),
  outputTokensMax: FEATURE_FIELDS.outputTokensMax,
  needs: defaulting(FEATURE_FIELDS.needs, []),
  dataClass: defaulting(FEATURE_FIELDS.dataClass, 'C0'),
  images: defaulting(FEATURE_FIELDS.images, 0),
  imagesLow: defaulting(FEATURE_FIELDS.imagesLow, 0),
  inputs: defaulting(FEATURE_FIELDS.inputs, 1),
  turns: defaulting(FEATURE_FIELDS.turns, 1),
  choices: defaulting(FEATURE_FIELDS.choices, 1),
} as const;
export type StatedRequest = ValuesOf<typeof STATED_REQUEST_FIELDS>;

/** What the policies of a project leave to a router. */
export type RoutingLimits = Pick<
  EffectivePolicy,
  'allowedModels' | 'hybrid' | 'limits' | 'dataClassMin' | 'unread'
>;

/**
 * What a router reads of a stated request. As on the chat path, the policies of the project add
 * their allow-list, their ceiling of the answer, their least class of data and the data routes that
 * are open to the class.
 */
export function featuresUnder(policy: RoutingLimits, asked: StatedRequest): Features {
  const { operation, outputTokensMax } = asked;
  const dataClass = higherDataClass(classWithMedia(policy, asked), policy.dataClassMin ?? 'C0');
  const cap = operation === 'chat' ? policy.limits.maxOutputTokens : undefined;
  return {
    ...featuresStated({ ...asked, dataClass }),
    outputTokensMax: cap === undefined ? outputTokensMax : Math.min(cap, outputTokensMax ?? cap),
    jurisdictionsAllowed: openRoutes(policy, dataClass),
    modelsAllowed: policy.allowedModels ? [...policy.allowedModels] : null,
  };
}

/** The stated class, or that of images and sound, which nobody reads, where it is higher. */
function classWithMedia({ unread }: RoutingLimits, asked: StatedRequest): DataClass {
  const needs = needsOf(asked);
  const kinds = [
    ...(needs.includes('vision') ? [unread.image] : []),
    ...(needs.includes('audio') ? [unread.audio] : []),
  ];
  const classes = [asked.dataClass, ...kinds.map(unreadDataClass)];
  return classes.reduce((left, right) => (RANKS[left] >= RANKS[right] ? left : right));
}

const RANKS = Object.fromEntries(DATA_CLASSES.map(({ code }, rank) => [code, rank])) as Readonly<
  Record<DataClass, number>
>;

/** The same where nothing but the request is stated. */
export function featuresStated(
  asked: StatedRequest,
): Omit<Features, 'jurisdictionsAllowed' | 'modelsAllowed'> {
  const { operation, inputTokens, images, imagesLow, inputs, turns } = asked;
  const { outputTokensMax, choices, dataClass } = asked;
  return {
    operation,
    needs: needsOf(asked),
    textTokens: inputTokens,
    windowTokens: null,
    images,
    imagesLow,
    inputs,
    turns,
    outputTokensMax,
    choices,
    dataClass,
    modelsBarred: null,
    explores: null,
  };
}

/** What is stated, and what the rest of the request needs in any case. */
function needsOf({ needs, operation, images, imagesLow }: StatedRequest): Capability[] {
  const implied: Capability[] = [
    ...(operation === 'embeddings' ? (['embeddings'] as const) : []),
    ...(images + imagesLow > 0 ? (['vision'] as const) : []),
  ];
  return [...new Set([...needs, ...implied])];
}
