import type { JournalEntry } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { pageComplexity } from '../../graph/page.js';
import { historyOf, RECENT_MAX, recentHistories } from './history.js';
import type { HappeningBody } from './journal.js';
import { nextSteps, type PromptStep, type Stage } from './lifecycle.rules.js';
import { PromptStatusEnum } from './version-schema.js';
import { PROMPT_ACTIONS, PROMPT_HAPPENINGS, type PromptHappening } from './vocabulary.js';

const HappeningEnum = builder.enumType('PromptHappening', {
  description: 'What happened to a version.',
  values: enumValues(PROMPT_HAPPENINGS),
});

const ActionEnum = builder.enumType('PromptAction', {
  description: 'What can be done next.',
  values: enumValues(PROMPT_ACTIONS),
});

const Step = builder.objectRef<PromptStep>('PromptStep').implement({
  description: 'Something that can be done with a package now.',
  fields: (t) => ({
    action: t.expose('action', { type: ActionEnum, description: 'What.' }),
    version: t.exposeInt('version', { description: 'The version that it moves or restores.' }),
    to: t.expose('to', {
      type: PromptStatusEnum,
      nullable: true,
      description: 'The status after a promotion; null for a rollback, which keeps or restores.',
    }),
    gateRequired: t.exposeBoolean('gateRequired', {
      description: 'Whether it needs that the latest gate run of the version passed.',
    }),
  }),
});

function bodyOf({ body }: Pick<JournalEntry, 'body'>): HappeningBody {
  return body as HappeningBody;
}

const Event = builder.prismaObject('JournalEntry', {
  variant: 'PromptEvent',
  select: { id: true, value: true, subject: true, body: true, createdAt: true },
  description: 'Something that happened to a version of a package.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the event.' }),
    event: t.field({
      type: HappeningEnum,
      description: 'What happened.',
      resolve: ({ value }) => value as PromptHappening,
    }),
    version: t.int({ description: 'To which version.', resolve: (event) => bodyOf(event).version }),
    from: t.field({
      type: PromptStatusEnum,
      nullable: true,
      description: 'Its status before; null where it was written.',
      resolve: (event) => bodyOf(event).from,
    }),
    to: t.field({
      type: PromptStatusEnum,
      description: 'Its status after; a rollback of a draft leaves it what it was.',
      resolve: (event) => bodyOf(event).to,
    }),
    currentVersion: t.int({
      description: 'The current version of the package after it.',
      resolve: (event) => bodyOf(event).current_version,
    }),
    receiptId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The gate receipt that a promotion rested on; null where none was needed.',
      resolve: (event) => bodyOf(event).receipt_id,
    }),
    reason: t.string({
      nullable: true,
      description: 'Why, in the words of who did it; null where nothing was said.',
      resolve: (event) => bodyOf(event).reason,
    }),
    actorId: t.field({
      type: 'UUID',
      description: 'The member or key that did it.',
      resolve: (event) => bodyOf(event).actor_id,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

/** Where a package stands in its lifecycle. */
export interface PackageInLife {
  readonly id: string;
  readonly previousVersions: readonly number[];
  /** The version that a promotion without a version takes, if there is one. */
  readonly stage: Stage | undefined;
}

/** The lifecycle of a package. */
export const PromptLifecycle = builder.objectRef<PackageInLife>('PromptLifecycle').implement({
  description: 'What can be done with a package next, and what happened to it.',
  fields: (t) => ({
    next: t.field({
      type: [Step],
      description: 'What can be done next.',
      resolve: ({ stage, previousVersions }) => nextSteps(stage, previousVersions),
    }),
    history: t.loadableGroup({
      type: Event,
      description: `The latest ${RECENT_MAX} events, newest first; \`promptHistory\` pages all.`,
      load: (ids: string[], ctx) => recentHistories(ctx, ids),
      group: (event) => event.subject,
      resolve: ({ id }) => id,
    }),
  }),
});

builder.queryField('promptHistory', (t) =>
  t.prismaConnection({
    type: Event,
    cursor: 'id',
    description: 'Everything that happened to a prompt package, newest first.',
    authScopes: { can: 'prompts.read' },
    complexity: pageComplexity,
    args: { promptId: t.arg({ type: 'UUID', required: true, description: 'The package.' }) },
    resolve: (query, _root, { promptId }, ctx) => historyOf(ctx, promptId, query),
  }),
);
