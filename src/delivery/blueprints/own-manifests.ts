import type { ContractVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { audit } from '../../records/audit-trail.js';
import { currentContracts, publishContract } from '../../records/contracts.js';
import { inTransaction } from '../../records/scope.js';
import { blueprintById, isBuiltIn, manifestHash } from './catalogue.js';
import { type LintFinding, lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { documentFault } from './schema-bounds.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** The kind of contract that manifests of customers are. */
const MANIFEST = 'blueprint_manifest';

/** A version of a customer's manifest. */
export interface ManifestVersion {
  /** The id of the version. */
  readonly id: string;
  readonly version: number;
  readonly manifest: Manifest;
  readonly hash: Uint8Array;
  readonly storedBy: string;
  readonly storedAt: Date;
}

/** A version as its owner gets it. */
export interface StoredManifest extends ManifestVersion {
  /** The manifest said exactly this before; no version was added. */
  readonly alreadyStored: boolean;
  readonly findings: readonly LintFinding[];
}

/** What the lint says of a document that is stored nowhere. @throws invalid_request */
export function lintDocument(document: unknown): LintFinding[] {
  failOnFaults([documentFault('manifest', document) ?? []].flat());
  return lintManifest(document);
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
  failOnFaults(takenFaults(manifest));
  return inTransaction(ctx, {}, async (tx) => {
    await lockManifest(ctx, tx, manifest.id);
    const before = await lastVersion(ctx, tx, manifest.id);
    await requireRoom(ctx, tx, before);
    const isSame = before !== undefined && textOf(before.manifest) === textOf(manifest);
    const after = isSame ? before : await publish(ctx, tx, manifest);
    await audit(ctx, tx, {
      action: 'blueprintManifestStore',
      subject: 'BlueprintManifest',
      subjectId: after.id,
      before: before && (before.manifest as unknown as Sealable),
      after: after.manifest as unknown as Sealable,
    });
    return { ...after, alreadyStored: isSame, findings };
  });
}

function faultOf({ path, message, rule }: LintFinding): Fault {
  const at = path === '' ? 'manifest' : `manifest.${path}`;
  return { path: at, code: 'invalid', message: `${rule}: ${message}` };
}

/** The ids of the server's own blueprints mean these everywhere. */
function takenFaults({ id }: Manifest): Fault[] {
  if (!isBuiltIn(id)) return [];
  const message = `${id} is a blueprint of this server; choose another id.`;
  return [{ path: 'manifest.id', code: 'invalid', message }];
}

/** Whoever stores a version waits here; the database takes the same lock. */
async function lockManifest({ who }: AuthorizedCtx, tx: Transaction, id: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(
    E'\n', 'contract_version', ${who.tenantId}::uuid, ${MANIFEST}::text, ${id}::text), 0))`;
}

async function lastVersion({ who }: AuthorizedCtx, tx: Transaction, id: string) {
  const row = await tx.contractVersion.findFirst({
    where: { tenantId: who.tenantId, kind: MANIFEST, contractKey: id },
    orderBy: { version: 'desc' },
  });
  return row ? versionOf(row) : undefined;
}

async function requireRoom(
  { who }: AuthorizedCtx,
  tx: Transaction,
  before: ManifestVersion | undefined,
): Promise<void> {
  const { manifestsMax, versionsMax } = BLUEPRINT_BOUNDS;
  if (before && before.version >= versionsMax) {
    fail('blueprint_limit_reached', { values: { what: 'versions', max: versionsMax } });
  }
  if (before) return;
  const where = { tenantId: who.tenantId, kind: MANIFEST, version: 1 };
  const known = await tx.contractVersion.count({ where });
  if (known < manifestsMax) return;
  fail('blueprint_limit_reached', { values: { what: 'manifests', max: manifestsMax } });
}

async function publish(ctx: AuthorizedCtx, tx: Transaction, manifest: Manifest) {
  const name = { kind: MANIFEST, key: manifest.id };
  const row = await publishContract(ctx, name, manifest as unknown as Sealable, { tx });
  return versionOf(row);
}

function versionOf(row: ContractVersion): ManifestVersion {
  const manifest = row.body as unknown as Manifest;
  return {
    id: row.id,
    version: row.version,
    manifest,
    hash: manifestHash(manifest),
    storedBy: row.createdBy,
    storedAt: row.createdAt,
  };
}

function textOf(manifest: Manifest): string {
  return canonicalJson(manifest as unknown as Sealable);
}

/** The current manifests of the caller's tenant, by id; none without a caller. */
export async function ownManifests({ services, who }: Ctx): Promise<Manifest[]> {
  if (!who) return [];
  const rows = await currentContracts({ services, who }, MANIFEST);
  return rows.map((row) => versionOf(row).manifest);
}

/**
 * The blueprint of this id: one of the server, or the current version of the tenant's own. Another
 * tenant's behaves like one that does not exist.
 * @throws blueprint_unknown, which names near ids
 */
export async function manifestById(ctx: Ctx, id: string): Promise<Manifest> {
  if (isBuiltIn(id)) return blueprintById(id);
  const row = await database(ctx).contractVersion.findFirst({
    where: { kind: MANIFEST, contractKey: id },
    orderBy: { version: 'desc' },
  });
  return row ? versionOf(row).manifest : blueprintById(id);
}
