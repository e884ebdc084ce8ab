import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { WEBHOOK_ERRORS } from './errors.js';

const WEBHOOKS = {
  ids: {
    WebhookEndpoint: { number: 55, read: 'webhooks.read' },
    WebhookDelivery: { number: 56, read: 'webhooks.read' },
  },
  permissions: {
    'webhooks.read': {
      description: 'Read the endpoints that are told of events, and what was delivered to them.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'webhooks.write': {
      description: 'Say which endpoints are told of events, rotate their secrets, and replay.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: WEBHOOK_ERRORS,
  mutations: {
    one_commit: [
      'webhookDeliveriesReplay',
      'webhookDeliveryReplay',
      'webhookEndpointCreate',
      'webhookEndpointPause',
      'webhookEndpointRemove',
      'webhookEndpointResume',
      'webhookEndpointSecretRotate',
      'webhookEndpointTest',
      'webhookEndpointUpdate',
    ],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'actions/webhook-endpoints': typeof WEBHOOKS;
  }
}

registerModule('actions/webhook-endpoints', WEBHOOKS);
