import { SANDBOX_PROVIDER } from '../../catalog/providers/catalogue.js';
import type { CatalogueModel } from '../../catalog/providers/catalogue-entry.js';
import type { Manifest } from './manifest.js';

/** What a rule finds: where, and what is wrong. */
export interface Found {
  readonly path: string;
  readonly message: string;
}

/** Looks for the faults of one rule in a manifest that satisfies the schema. */
export type Finder = (manifest: Manifest) => readonly Found[];

/** A model as the lint knows it. */
export type LintModel = CatalogueModel;

/** The models that manifests may name for the sandbox. */
export const SANDBOX_MODELS: ReadonlyMap<string, LintModel> = new Map(
  SANDBOX_PROVIDER.models.map((model) => [model.id, model]),
);
