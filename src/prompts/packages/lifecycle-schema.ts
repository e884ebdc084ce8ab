import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { pageComplexity } from '../../graph/page.js';
import { enumOf, outputOf, shownFields } from '../../graph/table-types.js';
import { entriesAsNodes } from '../../records/journal-nodes.js';
import { latestOfEach } from '../../records/journals.js';
import { journalOf } from './history.js';
import { HAPPENING_FIELDS, happeningOf, PROMPT_JOURNAL } from './journal.js';
import { nextSteps, STEP, type Stage } from './lifecycle.rules.js';
import { PROMPT_HAPPENINGS } from './vocabulary.js';

/** Entries of the history that stand in a package itself; `promptHistory` pages all. */
const RECENT_MAX = 50;

const Event = builder.prismaNode('JournalEntry', {
  variant: 'PromptEvent',
  id: { field: 'id', description: 'The id of the event.' },
  select: { id: true, value: true, subject: true, body: true, createdAt: true },
  description: 'Something that happened to a version of a package.',
  fields: (t) => ({
    event: t.field({
      type: enumOf(PROMPT_HAPPENINGS),
      description: 'What happened to the version.',
      resolve: ({ value }) => PROMPT_HAPPENINGS.parse(value),
    }),
    ...(shownFields(t, HAPPENING_FIELDS, happeningOf) as object),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

entriesAsNodes(PROMPT_JOURNAL, 'PromptEvent', 'prompts.read');

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
      type: [outputOf(STEP)],
      description: 'What can be done next.',
      resolve: ({ stage, previousVersions }) => nextSteps(stage, previousVersions),
    }),
    history: t.loadableList({
      type: Event,
      description: `The latest ${RECENT_MAX} events, newest first; \`promptHistory\` pages all.`,
      load: (ids: string[], ctx) => latestOfEach(authorized(ctx), PROMPT_JOURNAL, ids, RECENT_MAX),
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
    args: {
      promptId: t.arg({
        type: 'ID',
        required: true,
        description: 'The prompt package, by its id.',
      }),
    },
    resolve: (query, _root, { promptId }, ctx) =>
      journalOf(authorized(ctx), PROMPT_JOURNAL, promptId, query),
  }),
);
