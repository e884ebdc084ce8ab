import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { code, defaulting, fieldTable, integer, text } from '../../kernel/fields/field.js';
import { CHAIN_RULE } from '../../records/audit-chain.rules.js';
import { codes, publishReference } from '../../records/reference-field.js';
import { exportTrail } from './service.js';
import {
  auditKinds,
  EXPORT_DEFAULT,
  EXPORT_FIELDS,
  EXPORT_FORMATS,
  EXPORT_MAX,
} from './vocabulary.js';

const KIND = fieldTable('AuditKind', 'A kind of event of the audit trail.', {
  code: text('The kind, as `action` of an event says it.'),
  description: text('What an event of the kind has done.'),
});

const REFERENCE = publishReference({
  module: 'audit',
  type: 'AuditReference',
  description: 'What the audit trail records, how long it is kept, and how its chain is verified.',
  lists: {
    fields: {
      noun: 'field',
      description: 'What an exported event says, in the order of its line.',
      rows: EXPORT_FIELDS,
    },
    formats: codes('export_format', EXPORT_FORMATS),
  },
  figures: {
    fields: {
      chainRule: text('How a line is hashed and linked.'),
      retention: text('How long events are kept.'),
      verifier: text('The program that verifies an export without a server.'),
      exportMax: integer('The most events of one export; the next begins behind its last.'),
    },
    values: {
      chainRule: CHAIN_RULE,
      retention:
        'Events and links are never deleted: the database refuses UPDATE, DELETE and TRUNCATE ' +
        'for every role.',
      verifier: 'tools/verify-audit-export.mjs',
      exportMax: EXPORT_MAX,
    },
  },
});

builder.objectField(REFERENCE, 'kinds', (t) =>
  t.field({
    type: [outputOf(KIND)],
    description: 'Every kind of event: the mutations that change something, and decisions.',
    resolve: (_root, _args, _ctx, { schema }) => {
      const mutations = schema.getMutationType()?.getFields() ?? {};
      return auditKinds((name) => mutations[name]?.description ?? '');
    },
  }),
);

const EXPORT = {
  format: defaulting(code(EXPORT_FORMATS, 'The form of the lines.'), 'ndjson'),
  after: defaulting(integer('The position behind which the export begins.'), 0),
  limit: defaulting(integer(`How many events, at most ${EXPORT_MAX}.`), EXPORT_DEFAULT),
} as const;

builder.queryField('auditExport', (t) =>
  t.string({
    description:
      'The audit trail as text, one event a line, in the order of its chain of hashes. Fewer ' +
      'lines than asked for are the end.',
    authScopes: { can: 'audit.read' },
    complexity: 200,
    args: argsOf(t, EXPORT),
    resolve: (_root, wish, ctx) => exportTrail(authorized(ctx), wish),
  }),
);
