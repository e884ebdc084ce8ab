import type { Manifest, ManifestPolicies } from './manifest.js';

/** What a built-in blueprint says that the others do not say alike. */
type Said = Omit<Manifest, 'id' | 'version' | 'feature' | 'tools'>;

/** A blueprint of the server. Its tools are those that its steps ask for. */
export function builtIn(id: string, said: Said): Manifest {
  const asked = said.steps.filter((step) => step.type === 'tool');
  const tools = asked.map(({ tool_key, verb }) => ({ tool_key, verbs: [verb] }));
  return { id, version: '1.0.0', feature: `blueprint.${id}`, ...said, tools };
}

const FAST = {
  sandbox_model: 'sandbox/gw-mini',
  capabilities: ['text', 'json'],
  russian_quality_min: 'basic',
} as const;
const STRONG = { ...FAST, sandbox_model: 'sandbox/gw-pro' } as const;

/** Short texts: a fast model first, a stronger one in its place. */
export const FAST_MODELS: Manifest['models'] = { primary: FAST, fallback: STRONG };

/** Long documents: a strong model first, a fast one so that work does not stand still. */
export const STRONG_MODELS: Manifest['models'] = {
  primary: { ...STRONG, russian_quality_min: 'good' },
  fallback: FAST,
};

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
