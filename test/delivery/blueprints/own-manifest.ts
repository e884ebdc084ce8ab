import { blueprintById } from '../../../src/delivery/blueprints/catalogue.js';

/** A manifest of a customer, free to be changed. */
export interface Document {
  id: string;
  version: string;
  name: string;
  category: string;
  input_schema: { readonly properties: Record<string, unknown> };
  steps: Record<string, unknown>[];
  [member: string]: unknown;
}

/**
 * A manifest that the lint finds nothing wrong with, under an id of one's own. It has no golden
 * cases, which a change of a step would make wrong.
 */
export function ownManifest(id = 'acme-triage'): Document {
  const { golden_cases: _none, ...manifest } = blueprintById('support-ticket-triage');
  const copy = structuredClone(manifest) as unknown as Document;
  return { ...copy, id, name: 'Свой разбор обращений' };
}
