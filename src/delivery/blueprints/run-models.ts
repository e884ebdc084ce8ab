import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { type Fault, fail } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { moscowDay } from '../../kernel/time.js';
import { policyLacks } from './deploy-rules.js';
import { type Manifest, needsOf } from './manifest.js';
import { capableModels, openJurisdictions } from './readiness.js';

/** The models that a caller names for a run. */
interface NamedModels {
  readonly model?: string | null;
  readonly fallbackModel?: string | null;
}

/** Who is asked in a run. */
interface ModelsOfRun {
  readonly ids: readonly string[];
  /** What every request of the run says of itself. */
  readonly metadata: Readonly<Record<string, string>>;
}

const SANDBOX = { environment: 'sandbox' } as const;

/** A fallback needs a model that it stands in for. */
export function modelFaults({ model, fallbackModel }: NamedModels): Fault[] {
  const isAlone = fallbackModel != null && model == null;
  return fits('fallbackModel', !isAlone, 'needs model, which it stands in for');
}

/**
 * The models of a run: those that the caller names, else those that the manifest names for the
 * sandbox. A named model must be able to do what the manifest needs, on a data route that it
 * allows, and the policies of the project must protect what its inputs hold.
 * @throws blueprint_sandbox_off, blueprint_model_unfit
 */
export async function modelsOfRun(
  ctx: AuthorizedCtx,
  manifest: Manifest,
  { model, fallbackModel }: NamedModels,
): Promise<ModelsOfRun> {
  if (model == null) {
    if (!ctx.services.config.GW_SANDBOX) fail('blueprint_sandbox_off');
    return { ids: needsOf(manifest).map(({ need }) => need.sandbox_model), metadata: SANDBOX };
  }
  const { services, who } = ctx;
  const { tenantId, projectId } = who;
  const policy = await services.policies.forProject(tenantId, projectId);
  const ids = fallbackModel == null ? [model] : [model, fallbackModel];
  const { primary, fallback = primary } = manifest.models;
  const filter = {
    allowedModels: policy.allowedModels,
    jurisdictions: openJurisdictions(manifest, policy.hybrid),
    day: moscowDay(sharedNowMs()),
  };
  const unfit = ids.filter((id, index) => {
    const need = index === 0 ? primary : fallback;
    return !capableModels(services.registry, need, filter).some((each) => each.id === id);
  });
  const reasons = [
    ...unfit.map((id) => `No fitting model: ${id}`),
    ...policyLacks({ manifest, projectId, policy }),
  ];
  if (reasons.length > 0) {
    const values = { id: manifest.id, reasons: reasons.join('; ') };
    fail('blueprint_model_unfit', { values, param: 'model' });
  }
  return { ids, metadata: {} };
}
