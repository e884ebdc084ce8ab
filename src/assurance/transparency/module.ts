import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const TRANSPARENCY = {
  ids: {
    LogCheckpoint: { number: 139, read: 'transparency.read' },
  },
  permissions: {
    'transparency.read': {
      description: 'Read the transparency log: checkpoints, proofs and the export.',
      // Nothing is in it that those who read ledger and receipts do not see.
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'assurance/transparency': typeof TRANSPARENCY;
  }
}

registerModule('assurance/transparency', TRANSPARENCY);
