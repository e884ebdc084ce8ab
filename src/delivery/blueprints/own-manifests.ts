import type { ContractVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { change } from '../../records/change.js';
import { currentContracts, lockContract, publishContract } from '../../records/contracts.js';
import { blueprintById, isBuiltIn, manifestHash } from './catalogue.js';
import { documentFaults } from './document-bounds.js';
import { lintAnswer, lintManifest } from './lint.js';
import type { Manifest } from './manifest.js';
import { hex } from './run-record.js';
import type { LintFinding, StoredManifest } from './tables.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** The kind of contract that manifests of customers are. */
const MANIFEST = 'blueprint_manifest';

/** What the lint says of a document that is stored nowhere. @throws invalid_request */
export function lintDocument(document: unknown): LintFinding[] {
  failOnFaults(documentFaults('manifest', document));
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
  const name = { action: 'blueprintManifestStore', subject: 'BlueprintManifest' };
  return change(ctx, name, async (tx) => {
    await lockContract(ctx, tx, { kind: MANIFEST, key: manifest.id });
    const before = await lastVersion(ctx, tx, manifest.id);
    await requireRoom(ctx, tx, before);
    const body = manifest as unknown as Sealable;
    const known = before?.body as Sealable | undefined;
    const alreadyStored = known !== undefined && canonicalJson(known) === canonicalJson(body);
    const contract = { kind: MANIFEST, key: manifest.id };
    const row =
      alreadyStored && before ? before : await publishContract(ctx, contract, body, { tx });
    const result = {
      blueprintId: manifest.id,
      version: row.version,
      manifest,
      manifestHash: hex(manifestHash(manifest)),
      alreadyStored,
      lint: lintAnswer(findings),
      storedBy: row.createdBy,
      storedAt: row.createdAt,
    };
    return { result, id: row.id, before: known, after: body };
  });
}

function faultOf({ path, message, rule }: LintFinding): Fault {
  const at = path === '' ? 'manifest' : `manifest.${path}`;
  return { path: at, code: 'invalid', message: `${rule}: ${message}` };
}

/** The ids of the server's own blueprints mean these everywhere. */
function takenFaults({ id }: Manifest): Fault[] {
  if (!isBuiltIn(id)) return [];
  return [fault('manifest.id', 'invalid', `is that of a blueprint of this server: ${id}`)];
}

function lastVersion(
  { who }: AuthorizedCtx,
  tx: Transaction,
  id: string,
): Promise<ContractVersion | null> {
  return tx.contractVersion.findFirst({
    where: { tenantId: who.tenantId, kind: MANIFEST, contractKey: id },
    orderBy: { version: 'desc' },
  });
}

async function requireRoom(
  { who }: AuthorizedCtx,
  tx: Transaction,
  before: ContractVersion | null,
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

function manifestOf({ body }: ContractVersion): Manifest {
  return body as unknown as Manifest;
}

/** The current manifests of the caller's tenant, by id; none without a caller. */
export async function ownManifests({ services, who }: Ctx): Promise<Manifest[]> {
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
  const row = await database(ctx).contractVersion.findFirst({
    where: { kind: MANIFEST, contractKey: id },
    orderBy: { version: 'desc' },
  });
  return row ? manifestOf(row) : blueprintById(id);
}
