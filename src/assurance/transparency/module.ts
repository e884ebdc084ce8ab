import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { TRANSPARENCY_ERRORS } from './errors.js';

const TRANSPARENCY = {
  ids: {
    LogCheckpoint: { number: 139, read: 'transparency.read' },
    LogPublication: { number: 158, read: 'transparency.read' },
  },
  permissions: {
    'transparency.read': {
      description: 'Read the transparency log: checkpoints, proofs and the export.',
      // Nothing is in it that those who read ledger and receipts do not see.
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'transparency.publish': {
      description: 'Publish the transparency log for witnesses, and end its publication.',
      roles: ['owner', 'admin', 'security'],
      keys: ['standard', 'service'],
    },
  },
  errors: TRANSPARENCY_ERRORS,
  mutations: {
    one_commit: ['logPublish', 'logUnpublish'],
    own_books: ['logCosignaturesSubmit'],
  },
  load: () => [import('./schema.js'), import('./publication-schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'assurance/transparency': typeof TRANSPARENCY;
  }
}

registerModule('assurance/transparency', TRANSPARENCY);
