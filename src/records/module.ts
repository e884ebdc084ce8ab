import { EVERYONE } from '../graph/permissions.js';
import { registerModule } from '../graph/registration.js';
import { RECORD_ERRORS } from './errors.js';

const RECORDS = {
  ids: {
    SealedReceipt: { number: 11, read: 'receipts.read' },
    ContractVersion: { number: 12, read: 'receipts.read' },
    JournalEntry: { number: 13, read: 'receipts.read' },
    AuditEvent: { number: 15, read: 'audit.read' },
    FeedEvent: { number: 16 },
    IdempotencyRecord: { number: 18 },
  },
  permissions: {
    'receipts.read': {
      description: 'Read and verify sealed receipts.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'anomalies.read': {
      description: 'Read the anomaly feed.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'audit.read': {
      description: 'Read the audit trail.',
      roles: ['owner', 'admin', 'security', 'finance', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: RECORD_ERRORS,
  load: () => [
    import('./receipts-schema.js'),
    import('./references-schema.js'),
    import('./schema.js'),
  ],
} as const;

declare module '../kernel/module-rows.js' {
  interface ModuleRows {
    readonly records: typeof RECORDS;
  }
}

registerModule('records', RECORDS);
