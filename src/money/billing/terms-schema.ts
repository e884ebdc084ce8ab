import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { setTerms, type Terms } from './terms.js';
import { SLA_CLASSES, TERMS_BOUNDS } from './vocabulary.js';

const SlaClassEnum = builder.enumType('SlaClass', {
  description: 'A class of the service level; its targets stand in the receipt `gw_slo`.',
  values: enumValues(SLA_CLASSES),
});

const TermsType = builder.objectRef<Terms>('CommercialTerms').implement({
  description: 'Commercial terms of an organization from a moment on. They are never changed.',
  fields: (t) => ({
    plan: t.exposeString('plan', { description: 'The commercial plan.' }),
    slaClass: t.exposeString('slaClass', { description: 'The class of the service level.' }),
    commitRub: t.expose('commitMicro', { type: 'Rub', description: 'Committed a month.' }),
    effectiveFrom: t.expose('effectiveFrom', {
      type: 'DateTime',
      description: 'From when on the terms hold.',
    }),
    reason: t.exposeString('reason', { description: 'Why, as the operator says.' }),
  }),
});

builder.mutationField('commercialTermsSet', (t) =>
  t.field({
    type: TermsType,
    description:
      'Writes the commercial terms of an organization; for administrators of the platform alone. ' +
      'What is left out stays as it is in force now. Recorded in the trail of that organization.',
    authScopes: { can: 'profile.read' },
    args: {
      tenantId: t.arg({
        type: 'ID',
        required: true,
        description: 'The id of the organization whose terms are set.',
      }),
      plan: t.arg.string({
        description: `The plan, at most ${TERMS_BOUNDS.planChars} characters.`,
      }),
      slaClass: t.arg({ type: SlaClassEnum, description: 'The class of the service level.' }),
      commitRub: t.arg({ type: 'Rub', description: 'What is committed a month; 0 for nothing.' }),
      effectiveFrom: t.arg({
        type: 'DateTime',
        description: 'From when on; now unless stated, never in the past.',
      }),
      reason: t.arg.string({
        required: true,
        description: `Why, 1 to ${TERMS_BOUNDS.reasonChars} characters.`,
      }),
    },
    resolve: (_root, { commitRub, ...order }, ctx) =>
      setTerms(authorized(ctx), { ...order, commitMicro: commitRub }),
  }),
);
