import type { AuthorizedCtx, Services } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import { requireOwn } from '../../records/own.js';
import { type Verification, verifyReceipt } from '../../records/receipts.js';
import { shownRun } from './kept.rules.js';
import { isOpen, linkEnd, linkPlace, linkToken } from './link.rules.js';
import { CHECK_REPORTS, REPORT_SHARINGS } from './records.js';
import type { REPORT_LINK } from './tables.js';

/** Where the pages of reports are; the secret part of a link follows. */
const REPORTS_PATH = '/cockpit/reports';

/**
 * Seals the report of a run, once, and opens a link to it. While one is open, it is given again.
 * @throws not_found for a run that is not the organization's
 */
export function shareReport(
  ctx: AuthorizedCtx,
  runId: string,
): Promise<ValuesOf<typeof REPORT_LINK.fields>> {
  const name = { action: 'migrationReportShare', subject: 'MigrationCheckReport' } as const;
  return change(ctx, name, async (tx) => {
    const run = shownRun(await requireOwn(ctx, 'MigrationCheckRun', runId, { tx, param: 'runId' }));
    await REPORT_SHARINGS.lock(ctx, tx, runId);
    const last = (await REPORT_SHARINGS.latestOf(ctx, [runId], { tx })).get(runId);
    const sharing = isOpen(last, sharedNow())
      ? last
      : await REPORT_SHARINGS.publish(ctx, { runId, shared: true }, { tx });
    const { baseUrl } = ctx.transport;
    const { checks, status, simulated, costMicro, startedAt, createdAt: endedAt } = run;
    const content = { runId, baseUrl, status, simulated, checks, costMicro, startedAt, endedAt };
    const report = await CHECK_REPORTS.seal(ctx, runId, content, { tx });
    const { tenantId } = ctx.who;
    const { version, createdAt } = sharing;
    const token = linkToken(ctx.services.keyring, { tenantId, runId, version });
    const result = {
      runId,
      reportId: report.id,
      sha256: Buffer.from(report.row.sha256).toString('hex'),
      url: `${baseUrl}${REPORTS_PATH}/${token}`,
      expiresAt: linkEnd(createdAt),
      simulated: report.content.simulated,
    };
    return { result, id: report.id, after: { runId, version } };
  });
}

/**
 * Takes the open link of a run's report back: it shows nothing from now on.
 * @throws not_found for a run that is not the organization's, and where no link is open
 */
export function takeLinkBack(
  ctx: AuthorizedCtx,
  runId: string,
): Promise<Version<{ readonly runId: string; readonly shared: boolean }>> {
  const name = { action: 'migrationReportUnshare', subject: 'MigrationReportSharing' } as const;
  return change(ctx, name, async (tx) => {
    await requireOwn(ctx, 'MigrationCheckRun', runId, { tx, param: 'runId' });
    await REPORT_SHARINGS.lock(ctx, tx, runId);
    const last = (await REPORT_SHARINGS.latestOf(ctx, [runId], { tx })).get(runId);
    if (!isOpen(last, sharedNow())) {
      fail('not_found', { values: { subject: 'open link of run', id: runId }, param: 'runId' });
    }
    const result = await REPORT_SHARINGS.publish(ctx, { runId, shared: false }, { tx });
    return { result, id: result.id, after: { runId, version: result.version } };
  });
}

/** A report as whoever has its link sees it. */
export interface SharedReport {
  readonly report: Awaited<ReturnType<typeof CHECK_REPORTS.byId>>;
  readonly expiresAt: Date;
  /** The hash and the links of the receipt, computed anew. */
  readonly verification: Verification;
}

/** The report that a token opens now; undefined for every token that opens none. */
export async function sharedReport(
  services: Pick<Services, 'prisma' | 'dataKeys' | 'keyring'>,
  token: string,
): Promise<SharedReport | undefined> {
  const place = linkPlace(services.keyring, token);
  if (!place) return undefined;
  const { tenantId, runId, version } = place;
  const scope = { services, who: { tenantId } };
  const sharing = (await REPORT_SHARINGS.latestOf(scope, [runId])).get(runId);
  if (!isOpen(sharing, sharedNow()) || sharing.version !== version) return undefined;
  const report = await CHECK_REPORTS.byKey(scope, runId);
  if (!report) return undefined;
  const verification = await verifyReceipt(scope, report.id, CHECK_REPORTS.kind);
  return { report, expiresAt: linkEnd(sharing.createdAt), verification };
}
