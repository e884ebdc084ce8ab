import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { fail } from '../../kernel/errors/fail.js';
import { nearestNames } from '../../kernel/near-names.js';
import { projectRoot } from '../../platform/database/project-root.js';
import type { Manifest } from './manifest.js';
import { MANIFEST_SCHEMA, MANIFEST_SCHEMAS } from './manifest-schema.js';

/** The ids of the server's own blueprints, in the order of the catalogue. */
const IDS: readonly string[] = [
  'crm-lead-qualification',
  'crm-call-summary',
  'rag-knowledge-assistant',
  'tender-document-analysis',
  'contract-review',
  'invoice-extraction',
  'call-quality-control',
  'support-ticket-reply',
  'support-ticket-triage',
  'hr-resume-screening',
  'ecommerce-product-description',
  'finance-payment-purpose',
  'procurement-offer-comparison',
  'marketing-campaign-copy',
  'employee-assistant',
];

/** The files are not compiled: the sources and the build in `dist` read the same ones. */
const FOLDER = 'src/delivery/blueprints/manifests';

/**
 * The manifest of this id that a YAML text holds, judged by the schema that those of customers are
 * judged by.
 * @throws Error that names the file with every fault and its path, or the line that does not parse
 */
export function parseManifest(id: string, text: string): Manifest {
  const file = `${FOLDER}/${id}.yaml`;
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new Error(`${file} is no YAML: ${(error as Error).message}`);
  }
  const faults = MANIFEST_SCHEMAS.valueFaults(MANIFEST_SCHEMA, document, '');
  if (faults.length === 0 && (document as Manifest).id === id) return document as Manifest;
  const named = faults.map(({ message }) => message);
  throw new Error([`${file} is not the manifest ${id}`, ...named].join('\n  '));
}

const known = new Map<string, Manifest>();

/** Each file is read when it is first asked for, and once: all of them would slow every start. */
function builtIn(id: string): Manifest {
  const path = join(projectRoot(), FOLDER, `${id}.yaml`);
  const manifest = known.get(id) ?? parseManifest(id, readFileSync(path, 'utf8'));
  known.set(id, manifest);
  return manifest;
}

/** Every blueprint of the server, in the order of the catalogue. */
export function builtIns(): readonly Manifest[] {
  return IDS.map(builtIn);
}

/** True for the ids of the server's own blueprints. */
export function isBuiltIn(id: string): boolean {
  return IDS.includes(id);
}

/**
 * The blueprint of the server that has this id.
 * @throws blueprint_unknown, which names near ids
 */
export function blueprintById(id: string): Manifest {
  if (isBuiltIn(id)) return builtIn(id);
  const near = nearestNames(id, IDS);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See GET /v1/gw/blueprints.';
  return fail('blueprint_unknown', { values: { id, hint }, param: 'id' });
}

/** The sha256 of the manifest as canonical JSON: runs and deployments name it. */
export function manifestHash(manifest: Manifest): Uint8Array<ArrayBuffer> {
  const text = canonicalJson(manifest as unknown as Sealable);
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
