import { builder } from '../../graph/builder.js';
import type { VocabularyRow } from '../../graph/enums.js';
import { DATA_CLASSES } from '../../kernel/firewall/vocabulary.js';
import { SCHEMA_CHANGES } from './diff/vocabulary.js';
import { CHECK_STATUSES, GATE_CHECKS } from './gate/vocabulary.js';
import { type Transition, transitions } from './lifecycle.rules.js';
import { PromptStatusEnum } from './version-schema.js';
import { PROMPT_EVENTS, PROMPT_STATUSES, VARIABLE_TYPES } from './vocabulary.js';

const Entry = builder.objectRef<VocabularyRow<string>>('PromptReferenceEntry').implement({
  description: 'A value of a published list.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The value on the wire.' }),
    description: t.exposeString('description', { description: 'What it means.' }),
  }),
});

const TransitionType = builder.objectRef<Transition>('PromptTransition').implement({
  description: 'A step of the state table of versions.',
  fields: (t) => ({
    from: t.expose('from', { type: PromptStatusEnum, description: 'The status before.' }),
    event: t.exposeString('event', { description: 'What moves the version.' }),
    to: t.expose('to', { type: PromptStatusEnum, description: 'The status after.' }),
    gateRequired: t.exposeBoolean('gateRequired', {
      description: 'Whether it needs a passing gate receipt of that very version.',
    }),
  }),
});

/** The published lists, which are those that decide. */
const LISTS = {
  states: { rows: PROMPT_STATUSES, description: 'Where a version may stand, in order.' },
  events: { rows: PROMPT_EVENTS, description: 'What moves a version.' },
  gateChecks: { rows: GATE_CHECKS, description: 'The checks of the gate, in order.' },
  checkStatuses: { rows: CHECK_STATUSES, description: 'How a check may end.' },
  variableTypes: { rows: VARIABLE_TYPES, description: 'The types of variables.' },
  schemaChanges: { rows: SCHEMA_CHANGES, description: 'How an output schema may change.' },
  dataClasses: { rows: DATA_CLASSES, description: 'Sensitivity of data, lowest first.' },
} as const;

type ListName = keyof typeof LISTS;

const PromptsReference = builder.objectRef<typeof LISTS>('PromptsReference').implement({
  description: 'What prompt packages are judged by. Rules and this answer read the same lists.',
  fields: (t) => ({
    transitions: t.field({
      type: [TransitionType],
      description: 'The state table.',
      resolve: () => transitions(),
    }),
    ...Object.fromEntries(
      (Object.keys(LISTS) as ListName[]).map((name) => [
        name,
        t.field({
          type: [Entry],
          description: LISTS[name].description,
          resolve: (lists) => [...lists[name].rows],
        }),
      ]),
    ),
  }),
});

builder.queryField('promptsReference', (t) =>
  t.field({
    type: PromptsReference,
    description: 'Prompt states, lifecycle transitions, gate checks and data classes.',
    resolve: () => LISTS,
  }),
);
