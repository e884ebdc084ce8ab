import type { Registry } from '../../catalog/providers/model.js';
import type { Ctx } from '../../graph/ctx.js';
import { moscowDay } from '../../kernel/time.js';
import { blueprintsOf, isBuiltIn, manifestHash } from './catalogue.js';
import { type LintFinding, lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { manifestById, ownManifests } from './own-manifests.js';
import { type BlueprintReadiness, readinessOf } from './readiness.js';
import type { Category, Origin } from './vocabulary.js';

/** A blueprint as it is shown: what is written, and what is computed of it on this server. */
export interface BlueprintDetail {
  readonly manifest: Manifest;
  readonly origin: Origin;
  readonly hash: Uint8Array;
  readonly findings: readonly LintFinding[];
  readonly readiness: BlueprintReadiness;
}

/** The blueprints of the server and those of the caller's tenant, or those of a category. */
export async function listBlueprints(
  ctx: Ctx,
  category: Category | undefined,
): Promise<BlueprintDetail[]> {
  const own = (await ownManifests(ctx)).filter(
    (manifest) => category === undefined || manifest.category === category,
  );
  const { registry } = ctx.services;
  return [...blueprintsOf(category), ...own].map((manifest) => detailOf(registry, manifest));
}

/** One blueprint. @throws blueprint_unknown */
export async function readBlueprint(ctx: Ctx, id: string): Promise<BlueprintDetail> {
  return detailOf(ctx.services.registry, await manifestById(ctx, id));
}

/** A manifest never changes, so each is linted and hashed once for as long as it is held. */
const known = new WeakMap<Manifest, Pick<BlueprintDetail, 'hash' | 'findings'>>();

function detailOf(registry: Registry, manifest: Manifest): BlueprintDetail {
  const fixed = known.get(manifest) ?? {
    hash: manifestHash(manifest),
    findings: lintManifest(manifest),
  };
  known.set(manifest, fixed);
  const day = moscowDay(Date.now());
  const origin = isBuiltIn(manifest.id) ? 'built_in' : 'own';
  return {
    manifest,
    origin,
    ...fixed,
    readiness: readinessOf({ manifest, registry, day, ...fixed }),
  };
}
