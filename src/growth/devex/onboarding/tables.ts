import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  text,
  toldIn,
  uuid,
  type ValuesOf,
} from '../../../kernel/fields/field.js';
import { PROVENANCES } from '../../../kernel/provenance.js';
import { itemSaid } from '../../readiness/item-phrases.js';
import { READINESS } from '../../readiness/rules.js';
import { MILESTONES } from './vocabulary.js';

/** What a customer tells of an onboarding. */
export const TRACK_INPUT = fieldTable('OnboardingTrackInput', 'What is told of an onboarding.', {
  milestones: defaulting(
    list(
      code(MILESTONES, 'A milestone.'),
      'Milestones that you declare reached; none by default, which reads the rows alone.',
      { max: MILESTONES.codes.length },
    ),
    [],
  ),
});

const ITEM = fieldTable('OnboardingItem', 'One milestone, and what shows that it is reached.', {
  code: code(MILESTONES, 'The milestone of the list.'),
  title: toldIn(text('What is there when it is reached.'), itemSaid),
  done: flag('True where rows show it, or you have declared it.'),
  provenance: optional(
    code(PROVENANCES, 'live_measured where rows show it, declared by your word; null while open.'),
  ),
  reachedAt: optional(instant('When it was reached: the first row, or when you declared it.')),
  closedBy: toldIn(text('The call that reaches it.'), itemSaid),
});

/** A milestone as it stands. */
export type Item = ValuesOf<typeof ITEM.fields>;

const NEXT_STEP = fieldTable('OnboardingNextStep', 'What to do next.', {
  title: toldIn(text('What is there when it is done.'), itemSaid),
  closedBy: toldIn(text('The call that does it.'), itemSaid),
});

/** How an onboarding stands: what is answered, and what is sealed. */
export const PROGRESS_FIELDS = {
  onboardingId: uuid('The onboarding; an organization has one.'),
  startedAt: instant('When the onboarding was first tracked.'),
  percent: integer('Milestones that are reached of all, rounded down.'),
  measured: integer('Milestones that rows show.'),
  declared: integer('Milestones that only your word shows.'),
  milestones: list(object(ITEM, 'A milestone.'), 'The checklist, in the order of the list.'),
  timeToFirstSuccessSeconds: optional(
    integer('From the registration to the first answer of a real model; null before it.'),
  ),
  production: object(READINESS, 'The production checklist, read from rows alone.'),
  nextStep: optional(object(NEXT_STEP, 'What to do next; null when nothing is open.')),
} as const;

/** How an onboarding stands. */
export type Progress = ValuesOf<typeof PROGRESS_FIELDS>;

/** An onboarding as it is answered. */
export const ONBOARDING = fieldTable(
  'OnboardingProgress',
  'How the onboarding of the organization stands: what rows show, and what was declared.',
  {
    id: uuid('The onboarding, by which its receipt is read.'),
    ...PROGRESS_FIELDS,
    receiptId: uuid('The receipt that this state is sealed in.'),
    alreadySealed: flag('True where nothing has changed since that receipt was sealed.'),
  },
);

/** An onboarding as it is answered. */
export type Onboarding = ValuesOf<typeof ONBOARDING.fields>;
