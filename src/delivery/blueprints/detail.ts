import type { Registry } from '../../catalog/providers/model.js';
import type { Ctx } from '../../graph/ctx.js';
import { moscowDay } from '../../kernel/time.js';
import { builtIns, isBuiltIn, manifestHash } from './catalogue.js';
import { lintAnswer, lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { manifestById, ownManifests } from './own-manifests.js';
import { readinessOf } from './readiness.js';
import { hex } from './run-record.js';
import type { BlueprintDetail } from './tables.js';
import type { Category } from './vocabulary.js';

/** The blueprints of the server and those of the caller's tenant, or those of a category. */
export async function listBlueprints(
  ctx: Ctx,
  category: Category | undefined,
): Promise<BlueprintDetail[]> {
  const { registry } = ctx.services;
  return [...builtIns(), ...(await ownManifests(ctx))]
    .filter((manifest) => category === undefined || manifest.category === category)
    .map((manifest) => detailOf(registry, manifest));
}

/** One blueprint. @throws blueprint_unknown */
export async function readBlueprint(ctx: Ctx, id: string): Promise<BlueprintDetail> {
  return detailOf(ctx.services.registry, await manifestById(ctx, id));
}

/** A manifest never changes, so each is linted and hashed once for as long as it is held. */
const known = new WeakMap<Manifest, Pick<BlueprintDetail, 'manifestHash' | 'lint'>>();

function detailOf(registry: Registry, manifest: Manifest): BlueprintDetail {
  const fixed = known.get(manifest) ?? {
    manifestHash: hex(manifestHash(manifest)),
    lint: lintAnswer(lintManifest(manifest)),
  };
  known.set(manifest, fixed);
  const day = moscowDay(Date.now());
  return {
    ...manifest,
    ...fixed,
    origin: isBuiltIn(manifest.id) ? 'built_in' : 'own',
    stepCount: manifest.steps.length,
    manifest,
    readiness: readinessOf({ manifest, registry, day, findings: fixed.lint.findings }),
  };
}
