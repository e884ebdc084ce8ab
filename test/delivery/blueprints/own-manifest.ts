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

/** A manifest that the lint finds nothing wrong with, under an id of one's own. */
export function ownManifest(id = 'acme-triage'): Document {
  const copy = structuredClone(blueprintById('support-ticket-triage')) as unknown as Document;
  return { ...copy, id, name: 'Свой разбор обращений' };
}
