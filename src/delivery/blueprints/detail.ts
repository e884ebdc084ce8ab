import type { Registry } from '../../catalog/providers/model.js';
import type { Ctx } from '../../graph/ctx.js';
import { moscowDay } from '../../kernel/time.js';
import { blueprintById, blueprintsOf, manifestHash } from './catalogue.js';
import { type LintFinding, lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { type BlueprintReadiness, readinessOf } from './readiness.js';
import type { Category } from './vocabulary.js';

/** A blueprint as it is shown: what is written, and what is computed of it on this server. */
export interface BlueprintDetail {
  readonly manifest: Manifest;
  readonly hash: Uint8Array;
  readonly findings: readonly LintFinding[];
  readonly readiness: BlueprintReadiness;
}

/** The catalogue, or the blueprints of a category. The same for every caller. */
export function listBlueprints(ctx: Ctx, category: Category | undefined): BlueprintDetail[] {
  return blueprintsOf(category).map((manifest) => detailOf(ctx.services.registry, manifest));
}

/** One blueprint. @throws blueprint_unknown */
export function readBlueprint(ctx: Ctx, id: string): BlueprintDetail {
  return detailOf(ctx.services.registry, blueprintById(id));
}

/** Manifests never change while the process runs, so each is linted and hashed once. */
const known = new WeakMap<Manifest, Pick<BlueprintDetail, 'hash' | 'findings'>>();

function detailOf(registry: Registry, manifest: Manifest): BlueprintDetail {
  const fixed = known.get(manifest) ?? {
    hash: manifestHash(manifest),
    findings: lintManifest(manifest),
  };
  known.set(manifest, fixed);
  const day = moscowDay(Date.now());
  return { manifest, ...fixed, readiness: readinessOf({ manifest, registry, day, ...fixed }) };
}
