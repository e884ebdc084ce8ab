import { builder } from '../graph/builder.js';
import { filterOf } from '../graph/filters.js';
import { ownList } from '../graph/own-list.js';
import { PRINCIPAL_KINDS } from '../graph/principals.js';
import { storedFields } from '../graph/table-types.js';
import {
  code,
  fieldTable,
  instant,
  integer,
  optional,
  sha256,
  text,
  uuid,
} from '../kernel/fields/field.js';

const AuditLink = builder.prismaObject('AuditLink', {
  description: 'The place of an event in the chain of hashes of its organization.',
  fields: (t) =>
    storedFields(t, {
      position: integer('The place, from 1 without gaps.'),
      previousHash: optional(sha256('The chain hash of the place before; null at the first.')),
      chainHash: sha256('Over the event and all events before it, by the published rule.'),
      chainedAt: instant('When the event was linked, some seconds after its change.'),
    }),
});

/** A management change, as it is listed. */
export const AuditEvent = builder.prismaNode('AuditEvent', {
  id: { field: 'id', description: 'The id of the event.' },
  description:
    'One management change. Who holds the object before or after it can prove it by its hash.',
  fields: (t) => ({
    ...storedFields(t, {
      actorKind: code(PRINCIPAL_KINDS, 'Whether a member or a key acted.'),
      actorId: uuid('The member or key that acted.'),
      action: text('The mutation that changed something, in the words of the API.'),
      subject: text('The type of what was changed.'),
      subjectId: text('What was changed.'),
      beforeHash: optional(
        sha256('Of the object before, by RFC 8785; null when it did not exist.'),
      ),
      afterHash: optional(sha256('Of the object after, by RFC 8785; null when it is gone.')),
      requestId: text('The request that did it.'),
      createdAt: instant('When the change was committed.'),
    }),
    chain: t.relation('link', {
      type: AuditLink,
      nullable: true,
      description: 'Its place in the chain; null for the moments until it is linked.',
    }),
  }),
});

const AUDIT_FILTER = fieldTable(
  'AuditEventFilter',
  'Which events of the audit trail to list: those that meet all conditions.',
  {
    createdAt: instant('When the change was committed.'),
    actorId: uuid('The member or key that acted.'),
    action: text('The mutation that changed something.'),
    subject: text('The type of the object that changed.'),
    subjectId: text('The id of the object that changed.'),
  },
);

ownList({
  field: 'auditEvents',
  type: AuditEvent,
  description: 'The audit trail of the organization.',
  permission: 'audit.read',
  filter: filterOf(AUDIT_FILTER),
  noun: 'events',
});
