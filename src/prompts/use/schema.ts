import { builder } from '../../graph/builder.js';
import { unconfined } from '../../graph/confined.js';
import { outputOf, shownFields } from '../../graph/table-types.js';
import { PROMPT_BOUNDS } from '../packages/vocabulary.js';
import { promptUsage } from './report.js';
import { type PromptUsage, USAGE_FIELDS, VERSION_USAGE } from './tables.js';

const PromptUsageType = builder.objectRef<PromptUsage>('PromptUsage').implement({
  description:
    'Cost and outcome of the requests that used a prompt, version by version. Requests that were ' +
    'refused before a provider was chosen are not part of it: they have no usage.',
  fields: (t) => ({
    ...(shownFields(t, USAGE_FIELDS, (usage: PromptUsage) => usage) as object),
    versions: t.field({
      type: [outputOf(VERSION_USAGE)],
      complexity: { field: 1, multiplier: PROMPT_BOUNDS.versions / 10 },
      description: 'Every version, the newest first; one without requests says `no_traffic`.',
      resolve: ({ versions }) => versions,
    }),
  }),
});

builder.queryField('promptUsage', (t) =>
  t.field({
    type: PromptUsageType,
    description: 'What a prompt costs and how its requests end, version by version.',
    authScopes: { can: 'usage.read' },
    args: {
      promptId: t.arg({
        type: 'ID',
        required: true,
        description: 'The prompt package, by its id.',
      }),
      from: t.arg({ type: 'PeriodBegin', description: 'Begin; default 30 days before the end.' }),
      to: t.arg({
        type: 'PeriodEnd',
        description:
          'End, itself outside; a day is in it to its end. Default now; at most 366 days.',
      }),
    },
    resolve: (_root, args, ctx) => promptUsage(unconfined(ctx), args),
  }),
);
