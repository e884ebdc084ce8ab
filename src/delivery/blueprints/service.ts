import { TOOL, type ToolVersion, toolVersionOf } from '../../actions/tools/registry.js';
import type { ContractVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { asObject, isDeeperThan } from '../../kernel/json.js';
import { moscowDay } from '../../kernel/time.js';
import { change } from '../../records/change.js';
import {
  countContracts,
  currentContracts,
  latestContract,
  latestContracts,
  lockContract,
  publishContract,
} from '../../records/contracts.js';
import { blueprintById, builtIns, isBuiltIn, manifestHash } from './catalogue.js';
import { type JudgedCase, judgedCases } from './golden.rules.js';
import { lintAnswer, lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { readinessOf } from './readiness.js';
import { hex } from './run-record.js';
import type { BlueprintDetail, LintFinding, StoredManifest } from './tables.js';
import { BLUEPRINT_BOUNDS, type Category } from './vocabulary.js';

/** The kind of contract that manifests of customers are. */
const MANIFEST = 'blueprint_manifest';

/** The blueprints of the server and those of the caller's tenant, or those of a category. */
export async function listBlueprints(
  ctx: Ctx,
  category: Category | undefined,
): Promise<BlueprintDetail[]> {
  return [...builtIns(), ...(await ownManifests(ctx))]
    .filter((manifest) => category === undefined || manifest.category === category)
    .map((manifest) => detailOf(ctx, manifest));
}

/** One blueprint. @throws blueprint_unknown */
export async function readBlueprint(ctx: Ctx, id: string): Promise<BlueprintDetail> {
  return detailOf(ctx, await manifestById(ctx, id));
}

/** A manifest never changes, so each is linted and hashed once for as long as it is held. */
type Fixed = Pick<BlueprintDetail, 'manifestHash' | 'lint' | 'goldenCases'>;
const known = new WeakMap<Manifest, Fixed>();

function detailOf({ services: { registry } }: Ctx, manifest: Manifest): BlueprintDetail {
  const fixed = known.get(manifest) ?? {
    manifestHash: hex(manifestHash(manifest)),
    lint: lintAnswer(lintManifest(manifest)),
    goldenCases: judgedCases(manifest).map(shownCase),
  };
  known.set(manifest, fixed);
  const day = moscowDay(sharedNowMs());
  return {
    ...manifest,
    ...fixed,
    origin: isBuiltIn(manifest.id) ? 'built_in' : 'own',
    stepCount: manifest.steps.length,
    manifest,
    readiness: readinessOf({ manifest, registry, day, findings: fixed.lint.findings }),
  };
}

function shownCase({ golden, judged, lies }: JudgedCase): BlueprintDetail['goldenCases'][number] {
  const liesCaught = lies.filter((isCaught) => isCaught).length;
  return { ...golden, judged, lies: lies.length, liesCaught };
}

/** The current manifests of the caller's tenant, by id; none without a caller. */
async function ownManifests({ services, who }: Ctx): Promise<Manifest[]> {
  if (!who) return [];
  const rows = await currentContracts({ services, who }, MANIFEST);
  return rows.map(manifestOf);
}

/**
 * The blueprint of this id: one of the server, or the current version of the tenant's own. Another
 * tenant's behaves like one that does not exist.
 * @throws blueprint_unknown, which names near ids
 */
export async function manifestById(ctx: Ctx, id: string): Promise<Manifest> {
  if (isBuiltIn(id)) return blueprintById(id);
  const { services, who } = ctx;
  const row = who && (await latestContract({ services, who }, { kind: MANIFEST, key: id }));
  return row ? manifestOf(row) : blueprintById(id);
}

function manifestOf({ body }: ContractVersion): Manifest {
  return body as unknown as Manifest;
}

/** The contracts in force of the tools that a manifest names, of those that are registered. */
export async function toolsOf(ctx: AuthorizedCtx, { tools }: Manifest): Promise<ToolVersion[]> {
  const keys = tools.map(({ tool_key: key }) => key);
  return (await latestContracts(ctx, TOOL, keys)).map(toolVersionOf);
}

/** What the lint says of a document that is stored nowhere. @throws invalid_request */
export function lintDocument(document: unknown): LintFinding[] {
  failOnFaults(documentFaults('manifest', document));
  return lintManifest(document);
}

/** Levels of a document: one that is deeper is not looked at. */
const LEVELS_MAX = 40;

/** Why a document cannot be looked at at all; none where it can. */
function documentFaults(path: string, document: unknown): Fault[] {
  if (!asObject(document)) return [fault(path, 'wrong_type', 'must be an object')];
  if (isDeeperThan(document, LEVELS_MAX)) {
    return [fault(path, 'out_of_range', `is nested deeper than ${LEVELS_MAX} levels`)];
  }
  const { manifestBytesMax: max } = BLUEPRINT_BOUNDS;
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes > max) {
    return [fault(path, 'out_of_range', `has ${bytes} bytes as JSON; at most ${max} are taken`)];
  }
  try {
    // A manifest is hashed as canonical JSON, which has to be able to carry it.
    canonicalJson(document as Sealable);
    return [];
  } catch (error) {
    const why = (error as Error).message.slice(0, 200);
    return [fault(path, 'invalid', `cannot be written exactly: ${why}`)];
  }
}

/**
 * Stores a manifest, or the next version of one. The same manifest again adds no version. What is
 * stored can run: a document in which the lint finds an error is refused with every one of them.
 * @throws invalid_request, blueprint_limit_reached
 */
export async function storeManifest(
  ctx: AuthorizedCtx,
  document: unknown,
): Promise<StoredManifest> {
  const findings = lintDocument(document);
  failOnFaults(findings.filter(({ level }) => level === 'error').map(faultOf));
  const manifest = document as Manifest;
  // The ids of the server's own blueprints mean these everywhere.
  const taken = `is that of a blueprint of this server: ${manifest.id}`;
  failOnFaults(fits('manifest.id', !isBuiltIn(manifest.id), taken));
  const contract = { kind: MANIFEST, key: manifest.id };
  const name = { action: 'blueprintManifestStore', subject: 'BlueprintManifest' };
  return change(ctx, name, async (tx) => {
    await lockContract(ctx, tx, contract);
    const before = await latestContract(ctx, contract, { tx });
    await requireRoom(ctx, tx, before);
    const body = manifest as unknown as Sealable;
    const stood = before?.body as Sealable | undefined;
    const isSame = stood !== undefined && canonicalJson(stood) === canonicalJson(body);
    const row = isSame && before ? before : await publishContract(ctx, contract, body, { tx });
    const result = {
      blueprintId: manifest.id,
      version: row.version,
      manifest,
      manifestHash: hex(manifestHash(manifest)),
      alreadyStored: isSame,
      lint: lintAnswer(findings),
      storedBy: row.createdBy,
      storedAt: row.createdAt,
    };
    return { result, id: row.id, before: stood, after: body };
  });
}

function faultOf({ path, message, rule }: LintFinding): Fault {
  const at = path === '' ? 'manifest' : `manifest.${path}`;
  return { path: at, code: 'invalid', message: `${rule}: ${message}` };
}

async function requireRoom(
  ctx: AuthorizedCtx,
  tx: Transaction,
  before: ContractVersion | null,
): Promise<void> {
  const { manifestsMax, versionsMax } = BLUEPRINT_BOUNDS;
  if (before && before.version >= versionsMax) {
    fail('blueprint_limit_reached', { values: { what: 'versions', max: versionsMax } });
  }
  if (before) return;
  if ((await countContracts(ctx, MANIFEST, { tx })) < manifestsMax) return;
  fail('blueprint_limit_reached', { values: { what: 'manifests', max: manifestsMax } });
}
