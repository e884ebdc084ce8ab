import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import type { Lifecycle } from '../../kernel/lifecycle.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Where a version of a prompt stands, in the order of promotions. */
export const PROMPT_STATUSES = vocabulary('PromptStatus', 'Where a version of a prompt stands.', [
  { code: 'draft', description: 'Being written. Every new version begins here.' },
  { code: 'review', description: 'Being read by others.' },
  { code: 'staging', description: 'Passed its gate; tried before it serves.' },
  { code: 'production', description: 'Serves requests that name no version; one at a time.' },
  { code: 'deprecated', description: 'Superseded by a later version, or retired by a promotion.' },
]);

/** A status of a version. */
export type PromptStatus = CodeOf<typeof PROMPT_STATUSES>;

/** What moves a version. */
export const PROMPT_EVENTS = vocabulary('PromptEventCode', 'What moves a version.', [
  { code: 'promote', description: 'One step along the lifecycle, by promptPromote.' },
  {
    code: 'supersede',
    description: 'Another version went to production and took the place of this one.',
  },
  {
    code: 'roll_back',
    description: 'A rollback took this version out of production; it can be promoted again.',
  },
  {
    code: 'restore',
    description: 'A rollback brought a superseded version back; its gate receipt still stands.',
  },
]);

/** An event of the lifecycle. */
export type PromptEvent = CodeOf<typeof PROMPT_EVENTS>;

/** The one state table of versions. */
export const PROMPT_LIFECYCLE: Lifecycle<PromptStatus, PromptEvent> = {
  draft: { promote: 'review' },
  review: { promote: 'staging' },
  staging: { promote: 'production' },
  production: { promote: 'deprecated', supersede: 'deprecated', roll_back: 'staging' },
  deprecated: { restore: 'production' },
};

/** Statuses that a version reaches only with a passing gate receipt of its own. */
export const GATED_STATUSES: readonly PromptStatus[] = ['staging', 'production'];

/** What the journal of a prompt tells. */
export const PROMPT_HAPPENINGS = vocabulary('PromptHappening', 'What happened to a version.', [
  { code: 'version_created', description: 'A version was written.' },
  { code: 'promoted', description: 'A version went one step along the lifecycle.' },
  { code: 'superseded', description: 'A version left production to a later one.' },
  { code: 'rolled_back', description: 'A version ceased to be current by a rollback.' },
  { code: 'restored', description: 'A version became current again by a rollback.' },
]);

/** A kind of entry of the journal. */
export type PromptHappening = CodeOf<typeof PROMPT_HAPPENINGS>;

/** What can be done with a package. */
export const PROMPT_ACTIONS = vocabulary('PromptAction', 'What can be done next.', [
  { code: 'promote', description: 'A promotion by one step: promptPromote.' },
  { code: 'rollback', description: 'A return to the version before: promptRollback.' },
]);

/** Types that a variable may declare. */
export const VARIABLE_TYPES = vocabulary('PromptVariableType', 'The types of variables.', [
  { code: 'string', description: 'The value is a text.' },
  { code: 'number', description: 'The value is a number.' },
  { code: 'integer', description: 'The value is a whole number.' },
  { code: 'boolean', description: 'The value is true or false.' },
  { code: 'array', description: 'The value is a list.' },
  { code: 'object', description: 'The value is an object.' },
]);

/** The type of a variable. */
export type VariableType = CodeOf<typeof VARIABLE_TYPES>;

/** Bounds of packages and versions; what is beyond them is refused by name. */
export const PROMPT_BOUNDS = {
  keyChars: 120,
  nameChars: 200,
  reasonChars: 500,
  versions: 1_000,
  variables: 100,
  variableNameChars: 64,
  descriptionChars: 500,
  modelVariants: 10,
  modelChars: 200,
  temperature: 2,
  maxTokens: 1_000_000,
  weight: 1_000,
  sampleOutputs: 20,
  /** Characters of each part that is JSON, written out. */
  jsonChars: 200_000,
} as const;

/** A variable of a template, normalised. */
export interface PromptVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly required: boolean;
  readonly description: string | null;
  /** The value where a request gives none; null where there is no default. */
  readonly default: unknown;
  /** Whether its value comes from a trusted source; null where the author did not say. */
  readonly trusted: boolean | null;
}

/** A model that may answer a prompt, normalised. */
export interface ModelVariant {
  readonly name: string;
  readonly model: string;
  readonly temperature: number | null;
  readonly max_tokens: number | null;
  /** Its share of requests among the variants of the version. */
  readonly weight: number;
}

/** What the gate reads beside the content itself. */
export interface PromptSamples {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly outputs: readonly unknown[];
  /** A context pack for the package's context policy; null where none is given. */
  readonly context_pack: unknown;
}

/** The content of a version. */
export interface PromptContent {
  readonly template: string;
  readonly variables: readonly PromptVariable[];
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly modelVariants: readonly ModelVariant[];
  /** The least class that the data of requests has; null where the version states none. */
  readonly dataClassMin: DataClass | null;
  readonly samples: PromptSamples;
}
