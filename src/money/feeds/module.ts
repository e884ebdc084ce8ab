import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const FEEDS = {
  permissions: {
    'usage.read': {
      description: 'Read usage events.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/feeds': typeof FEEDS;
  }
}

registerModule('money/feeds', FEEDS);
