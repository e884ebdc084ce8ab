import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import type { JudgedItem, Readiness } from './rules.js';
import { readReadiness } from './service.js';

const ReadinessItemType = builder.objectRef<JudgedItem>('ReadinessItem').implement({
  description: 'One item of the readiness list, read from the rows of the organization.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The item.' }),
    title: t.exposeString('title', { description: 'What is there when it is done.' }),
    done: t.exposeBoolean('done', { description: 'True when the rows show it.' }),
    simulated: t.exposeBoolean('simulated', {
      description:
        'True for an open item that only simulated answers show. They are no evidence: a request ' +
        'to a real model closes it.',
    }),
    closedBy: t.exposeString('closedBy', { description: 'The call that closes it.' }),
  }),
});

const ReadinessType = builder.objectRef<Readiness>('OrganizationReadiness').implement({
  description: 'How ready the organization is for production.',
  fields: (t) => ({
    percent: t.exposeInt('percent', { description: 'Items done of all, rounded down.' }),
    items: t.field({
      type: [ReadinessItemType],
      description: 'All items.',
      resolve: (readiness) => [...readiness.items],
    }),
    remaining: t.field({
      type: [ReadinessItemType],
      description: 'Items that are open, each with the call that closes it.',
      resolve: (readiness) => readiness.items.filter((item) => !item.done),
    }),
  }),
});

builder.queryField('organizationReadiness', (t) =>
  t.field({
    type: ReadinessType,
    description: 'Production readiness: a percentage and what remains.',
    authScopes: { can: 'readiness.read' },
    resolve: (_root, _args, ctx) => readReadiness(authorized(ctx)),
  }),
);
