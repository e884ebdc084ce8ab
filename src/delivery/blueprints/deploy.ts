import { readContract } from '../../actions/tools/contract.js';
import { TOOL } from '../../actions/tools/registry.js';
import type { BlueprintDeployment, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { Sealable } from '../../kernel/canonical.js';
import { fail } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { moscowDay } from '../../kernel/time.js';
import { readBalance } from '../../money/billing/service.js';
import { audit } from '../../records/audit-trail.js';
import { seal } from '../../records/receipts.js';
import { inTransaction } from '../../records/scope.js';
import { manifestHash } from './catalogue.js';
import { type DeployFacts, type DeployVerdict, judgeDeployment } from './deploy-rules.js';
import { lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { manifestById } from './own-manifests.js';
import { capableModels, openJurisdictions } from './readiness.js';

/** The kind of receipts that deployments are sealed under. */
const DEPLOYMENT_RECEIPT = 'blueprint_deployment';

/** A deployment as it is asked for. */
export interface DeployInput {
  readonly id: string;
  /** Default: the project of the caller. */
  readonly projectId?: string | null;
}

/**
 * Deploys a blueprint into the sandbox of a project: judges what the tenant's own rows show, and
 * records the verdict with a sealed receipt. Nothing outside changes. Each call is a new record.
 * @throws blueprint_unknown, not_found for a project that is not the tenant's
 */
export async function deployBlueprint(
  ctx: AuthorizedCtx,
  asked: DeployInput,
): Promise<BlueprintDeployment> {
  const manifest = await manifestById(ctx, asked.id);
  const projectId = await ownProject(ctx, asked.projectId);
  const verdict = judgeDeployment(await factsOf(ctx, manifest, projectId));
  return record(ctx, manifest, projectId, verdict);
}

async function ownProject(ctx: AuthorizedCtx, asked: string | null | undefined): Promise<string> {
  if (asked == null) return ctx.who.projectId;
  const found = await database(ctx).project.findFirst({ where: { id: asked } });
  const values = { subject: 'project', id: asked };
  return found?.id ?? fail('not_found', { values, param: 'project_id' });
}

async function factsOf(
  ctx: AuthorizedCtx,
  manifest: Manifest,
  projectId: string,
): Promise<DeployFacts> {
  const { policies, registry } = ctx.services;
  const rows = database(ctx);
  const [policy, balance, run, keys, contracts] = await Promise.all([
    policies.forProject(ctx.who.tenantId, projectId),
    readBalance(ctx),
    rows.blueprintRun.findFirst({
      where: { manifestHash: manifestHash(manifest), status: 'completed' },
      orderBy: { id: 'desc' },
      select: { id: true },
    }),
    rows.apiKey.findMany({
      where: { projectId, revokedAt: null },
      select: { keyType: true, name: true },
      take: KEYS_MAX,
    }),
    rows.contractVersion.findMany({
      where: { kind: TOOL, contractKey: { in: manifest.tools.map((tool) => tool.tool_key) } },
      orderBy: { version: 'desc' },
      distinct: ['contractKey'],
    }),
  ]);
  const listing =
    policy.allowListOf === ''
      ? null
      : await rows.policy.findFirst({
          where: { projectId, enabled: true, name: policy.allowListOf },
          select: { id: true },
        });
  const filter = {
    allowedModels: policy.allowedModels,
    jurisdictions: openJurisdictions(manifest, policy.hybrid),
    day: moscowDay(Date.now()),
  };
  const { primary, fallback } = manifest.models;
  return {
    manifest,
    projectId,
    findings: lintManifest(manifest),
    completedRunId: run?.id,
    keys,
    policy,
    allowListId: listing?.id,
    primaryModels: capableModels(registry, primary, filter).map(({ id }) => id),
    fallbackModels: fallback ? capableModels(registry, fallback, filter).map(({ id }) => id) : [],
    availableMicro: balance.availableMicro,
    tools: contracts.map(({ body }) => readContract(body)),
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
  const { decision, readinessPercent, tests, missingItems } = verdict;
  const content = {
    deployment_id: id,
    blueprint_id: manifest.id,
    blueprint_version: manifest.version,
    manifest_hash: Buffer.from(hash).toString('hex'),
    project_id: projectId,
    environment: 'sandbox',
    simulated: true,
    decision,
    readiness_percent: readinessPercent,
    tests,
    missing_items: missingItems,
  } as unknown as Readonly<Record<string, Sealable>>;
  return inTransaction(ctx, {}, async (tx) => {
    await audit(ctx, tx, {
      action: 'blueprintDeploy',
      subject: 'BlueprintDeployment',
      subjectId: id,
      after: content,
    });
    const { receipt } = await seal(ctx, DEPLOYMENT_RECEIPT, id, content, { tx });
    return tx.blueprintDeployment.create({
      data: {
        id,
        tenantId: ctx.who.tenantId,
        blueprintId: manifest.id,
        manifestHash: hash,
        projectId,
        decision,
        readiness: { percent: readinessPercent },
        tests: tests as unknown as Prisma.InputJsonArray,
        missingItems: missingItems as unknown as Prisma.InputJsonArray,
        receiptId: receipt.id,
        requestedBy: ctx.who.id,
      },
    });
  });
}

/** A deployment of the tenant. @throws not_found */
export async function deploymentById(ctx: AuthorizedCtx, id: string): Promise<BlueprintDeployment> {
  const found = await database(ctx).blueprintDeployment.findFirst({ where: { id } });
  const values = { subject: 'blueprint deployment', id };
  return found ?? fail('not_found', { values, param: 'id' });
}
