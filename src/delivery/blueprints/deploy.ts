import type { BlueprintDeployment, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { Sealable } from '../../kernel/canonical.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { moscowDay } from '../../kernel/time.js';
import { readBalance } from '../../money/billing/service.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { manifestHash } from './catalogue.js';
import { type DeployFacts, judgeDeployment } from './deploy-rules.js';
import { goldenCases } from './golden.rules.js';
import { lintManifest } from './lint.js';
import type { Manifest, ModelNeed } from './manifest.js';
import { capableModels, openJurisdictions } from './readiness.js';
import { DEPLOYMENT_RECEIPTS } from './receipts.js';
import { hex } from './run-record.js';
import { manifestById, toolsOf } from './service.js';
import { type DEPLOYMENT_FIELDS, type DeployVerdict, VERDICT } from './tables.js';

/**
 * Deploys a blueprint into the sandbox of a project: judges what the tenant's own rows show, and
 * records the verdict with a sealed receipt. Nothing outside changes. Each call is a new record.
 * @throws blueprint_unknown, not_found for a project that is not the tenant's
 */
export async function deployBlueprint(
  ctx: AuthorizedCtx,
  { id, projectId: asked }: { readonly id: string; readonly projectId?: string | null },
): Promise<BlueprintDeployment> {
  const manifest = await manifestById(ctx, id);
  const own = { id: ctx.who.projectId };
  const { id: projectId } =
    asked == null ? own : await requireOwn(ctx, 'Project', asked, { param: 'projectId' });
  const verdict = judgeDeployment(await factsOf(ctx, manifest, projectId));
  return record(ctx, manifest, projectId, verdict);
}

async function factsOf(
  ctx: AuthorizedCtx,
  manifest: Manifest,
  projectId: string,
): Promise<DeployFacts> {
  const { policies, registry } = ctx.services;
  const rows = database(ctx);
  // In turn: side by side, a handful of callers would take every connection of the pool.
  const policy = await policies.forProject(ctx.who.tenantId, projectId);
  const balance = await readBalance(ctx);
  const ofProject = { projectId, manifestHash: manifestHash(manifest), status: 'completed' };
  const latest = (more: object) =>
    rows.blueprintRun.findFirst({
      where: { ...ofProject, ...more },
      orderBy: { id: 'desc' },
      select: { id: true, proof: true, achieved: true, simulated: true, checksFailed: true },
    });
  const run = (await latest({ proof: 'proved', achieved: true })) ?? (await latest({}));
  const keys = await rows.apiKey.findMany({
    where: { projectId, revokedAt: null, expiresAt: null },
    select: { keyType: true, name: true },
    take: KEYS_MAX,
  });
  const tools = await toolsOf(ctx, manifest);
  const named = { projectId, enabled: true, name: policy.allowListOf };
  const listing = named.name === '' ? null : await rows.policy.findFirst({ where: named });
  const filter = {
    allowedModels: policy.allowedModels,
    jurisdictions: openJurisdictions(manifest, policy.hybrid),
    day: moscowDay(sharedNowMs()),
  };
  const modelsFor = (need: ModelNeed) => capableModels(registry, need, filter).map(({ id }) => id);
  const { primary, fallback } = manifest.models;
  return {
    manifest,
    projectId,
    findings: lintManifest(manifest),
    run: run ?? undefined,
    goldenCases: goldenCases(manifest),
    keys,
    policy,
    allowListId: listing?.id,
    primaryModels: modelsFor(primary),
    fallbackModels: fallback ? modelsFor(fallback) : [],
    availableMicro: balance.availableMicro,
    tools: tools.map(({ contract }) => contract),
  };
}

/** One that fits is enough; more than these are not looked at. */
const KEYS_MAX = 1_000;

function record(
  ctx: AuthorizedCtx,
  manifest: Manifest,
  projectId: string,
  verdict: DeployVerdict,
): Promise<BlueprintDeployment> {
  const id = newId('BlueprintDeployment');
  const hash = manifestHash(manifest);
  const content = {
    deploymentId: id,
    blueprintId: manifest.id,
    blueprintVersion: manifest.version,
    manifestHash: hex(hash),
    projectId,
    ...SANDBOX,
    ...verdict,
  };
  return change(ctx, { action: 'blueprintDeploy', subject: 'BlueprintDeployment' }, async (tx) => {
    const receipt = await DEPLOYMENT_RECEIPTS.seal(ctx, id, content, { tx });
    const kept = sealedContent(VERDICT, verdict);
    const result = await tx.blueprintDeployment.create({
      data: {
        id,
        tenantId: ctx.who.tenantId,
        blueprintId: manifest.id,
        manifestHash: hash,
        projectId,
        decision: verdict.decision,
        readiness: { percent: verdict.readinessPercent },
        tests: kept.tests as Prisma.InputJsonArray,
        missingItems: kept.missing_items as Prisma.InputJsonArray,
        receiptId: receipt.id,
        requestedBy: ctx.who.id,
      },
    });
    return { result, id, after: JSON.parse(receipt.row.content ?? 'null') as Sealable };
  });
}

/** A deployment is a validated record: no system outside the gateway is changed. */
const SANDBOX = { environment: 'sandbox', simulated: true } as const;

/** A deployment as it is shown. */
export function shownDeployment(row: BlueprintDeployment): ValuesOf<typeof DEPLOYMENT_FIELDS> {
  const { percent } = row.readiness as { readonly percent: number };
  const { decision, tests, missingItems } = row;
  const kept = { decision, readiness_percent: percent, tests, missing_items: missingItems };
  const verdict = openedContent(VERDICT, kept as SealedContent);
  return { ...row, manifestHash: hex(row.manifestHash), ...SANDBOX, ...verdict };
}
