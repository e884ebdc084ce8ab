import type { Manifest, ManifestPolicies } from './manifest.js';

/** Short texts: a fast model first, a stronger one in its place. */
export const FAST_MODELS = {
  primary: {
    sandbox_model: 'sandbox/gw-mini',
    capabilities: ['text', 'json'],
    russian_quality_min: 'basic',
  },
  fallback: {
    sandbox_model: 'sandbox/gw-pro',
    capabilities: ['text', 'json'],
    russian_quality_min: 'basic',
  },
} as const satisfies Manifest['models'];

/** Long documents: a strong model first, a fast one so that work does not stand still. */
export const STRONG_MODELS = {
  primary: {
    sandbox_model: 'sandbox/gw-pro',
    capabilities: ['text', 'json'],
    russian_quality_min: 'good',
  },
  fallback: {
    sandbox_model: 'sandbox/gw-mini',
    capabilities: ['text', 'json'],
    russian_quality_min: 'basic',
  },
} as const satisfies Manifest['models'];

/** Contacts of people never reach a model as they are. */
export const CONTACTS_MASKED = {
  phone: 'mask',
  email: 'mask',
  secret: 'mask',
} as const satisfies ManifestPolicies['firewall'];

/** Nothing that identifies a person reaches a model as it is. */
export const PERSONS_MASKED = {
  ...CONTACTS_MASKED,
  passport: 'mask',
  snils: 'mask',
  inn: 'mask',
  card: 'mask',
  bank_account: 'mask',
} as const satisfies ManifestPolicies['firewall'];
