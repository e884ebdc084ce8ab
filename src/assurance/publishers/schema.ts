import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { sharedNow } from '../../kernel/clock.js';
import { object, uuid } from '../../kernel/fields/field.js';
import { claimIdentity, withdrawIdentity } from './claims.js';
import { claimsInQueue, decideIdentity, revokeIdentity } from './decisions.js';
import { identityStatus, recordOf } from './identity.rules.js';
import { recordName, verifyIdentity } from './proof.js';
import {
  CLAIM_IN_QUEUE,
  CLAIM_INPUT,
  DECISION_INPUT,
  IDENTITY_FIELDS,
  IDENTITY_REVOKE_INPUT,
  IDENTITY_SHOWN,
  QUEUE_QUESTION,
} from './tables.js';

const WRITE = { can: 'certification.write' } as const;
/** The service asks for an administrator of the platform, whose role in their own is any. */
const OPERATE = { can: 'profile.read' } as const;
const FOR_OPERATORS = 'For administrators of the platform alone.';
const CLAIM = { id: uuid('The claim, by its id.') } as const;

const PublisherIdentity = builder.prismaNode('PublisherIdentity', {
  id: { field: 'id', description: 'The id of the claim.' },
  description: 'Who the organization says that it is as a publisher, and what proves it.',
  fields: (t) => ({
    ...storedFields(t, IDENTITY_FIELDS as never),
    ...shownFields(t, IDENTITY_SHOWN, (row) => ({
      status: identityStatus(row, sharedNow()),
      recordName: row.domain && recordName(row.domain),
      recordValue: row.domain && recordOf(row.token),
    })),
  }),
});

ownList({
  field: 'publisherIdentities',
  type: PublisherIdentity,
  description: 'Who the organization has claimed to be as a publisher, newest first.',
  permission: 'certification.read',
});

builder.queryField('publisherIdentityQueue', (t) =>
  t.field({
    type: connectionOf(outputOf(CLAIM_IN_QUEUE)),
    description: `The claims of all organizations, newest first. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...argsOf(t, QUEUE_QUESTION) },
    resolve: (_root, args, ctx) => claimsInQueue(authorized(ctx), args) as never,
  }),
);

builder.mutationFields((t) => ({
  publisherIdentityClaim: t.field({
    type: PublisherIdentity,
    description:
      'Claims who the organization is. The answer names the TXT record that proves its domain; ' +
      'without one an operator decides.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(CLAIM_INPUT, 'Who the organization is.') }),
    resolve: (_root, { input }, ctx) => claimIdentity(authorized(ctx), input) as never,
  }),
  publisherIdentityVerify: t.field({
    type: PublisherIdentity,
    description:
      'Looks for the TXT record of a claim now. `checkFailure` says why it has proved nothing.',
    authScopes: WRITE,
    args: argsOf(t, CLAIM),
    resolve: (_root, { id }, ctx) => verifyIdentity(authorized(ctx), id) as never,
  }),
  publisherIdentityWithdraw: t.field({
    type: PublisherIdentity,
    description: 'Takes a claim back, and with it what it has verified.',
    authScopes: WRITE,
    args: argsOf(t, CLAIM),
    resolve: (_root, { id }, ctx) => withdrawIdentity(authorized(ctx), id) as never,
  }),
  publisherIdentityDecide: t.field({
    type: outputOf(CLAIM_IN_QUEUE),
    description: `Decides a claim, and approves none of the own organization. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    args: argsOf(t, { ...CLAIM, input: object(DECISION_INPUT, 'What is decided, and why.') }),
    resolve: (_root, { id, input }, ctx) => decideIdentity(authorized(ctx), id, input),
  }),
  publisherIdentityRevoke: t.field({
    type: outputOf(CLAIM_IN_QUEUE),
    description: `Takes a verification back for good. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    args: argsOf(t, { ...CLAIM, input: object(IDENTITY_REVOKE_INPUT, 'Why it is taken back.') }),
    resolve: (_root, { id, input }, ctx) => revokeIdentity(authorized(ctx), id, input),
  }),
}));
