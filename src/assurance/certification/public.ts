import { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../graph/ctx.js';
import { type ConnectionArgs, idPage, type KeysetPage } from '../../graph/keyset.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import { isUuid } from '../../kernel/ids.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { knownPublisher } from '../publishers/identity.rules.js';
import { readIdentities } from '../publishers/known.js';
import {
  attestationOf,
  listingStatusOf,
  PROVED_BADGES,
  statementEnd,
  statusAt,
} from './gates.rules.js';
import type { BadgeVerification, PublicListing } from './tables.js';
import { BADGES, type Gate, PARTNER_TIERS, STATEMENT } from './vocabulary.js';

/** A badge as JSON of the database writes it. */
interface BadgeJson {
  readonly validUntil: string;
}

type Derived = 'badges' | 'publisherTier' | 'publisherStanding';

interface ListingRow extends Omit<PublicListing, Derived> {
  readonly badges: readonly BadgeJson[];
  readonly publisherBadges: number;
  readonly approved: boolean | null;
}

/**
 * The claim that proves now the name which a listing `l` shows, as `provedKeys` has it; the best
 * one.
 */
const KNOWN = Prisma.sql`LEFT JOIN LATERAL (
    SELECT max(CASE WHEN i.proved_until > clock_timestamp() THEN i.domain END) AS domain,
      max(CASE WHEN i.approved_until > clock_timestamp() THEN i.legal_name END) AS legal_name,
      bool_or(coalesce(i.approved_until > clock_timestamp(), false)) AS approved
    FROM publisher_identity i
    WHERE i.tenant_id = l.tenant_id AND i.withdrawn_at IS NULL AND i.revoked_at IS NULL
      AND i.decision IS DISTINCT FROM 'denied'
      AND (i.approved_until > clock_timestamp() OR i.proved_until > clock_timestamp())
      AND (l.publisher IS NULL
        OR (i.approved_until > clock_timestamp() AND l.publisher_key = i.name_key)
        OR (i.proved_until > clock_timestamp() AND l.publisher_key IN (i.domain_key, i.label_key)))
  ) AS known ON true`;

/** Badges that nothing proves are in force for nobody. */
const IN_FORCE = Prisma.sql`c.status = 'certified' AND c.superseded_at IS NULL
  AND c.valid_until > clock_timestamp()
  AND (known.approved IS NOT NULL OR c.badge <> ALL (${[...PROVED_BADGES]}::text[]))`;

/** What everybody sees, apart from badges. */
const PUBLIC = Prisma.sql`l.status = 'listed' AND l.measure IS NULL
  AND (l.name_review IS NULL OR l.name_review = 'cleared')`;

/**
 * A page of what everybody sees: published listings with a badge in force by the database's clock,
 * newest first. One statement, whatever is on the page.
 */
export async function publicListings(
  { services }: Ctx,
  { type, ...page }: ConnectionArgs & { readonly type?: string | null },
): Promise<KeysetPage<PublicListing>> {
  const ofType = type ? Prisma.sql`AND l.type = ${type}` : Prisma.empty;
  const found = await idPage(page, (below, take) => {
    const beyond = below ? Prisma.sql`AND l.id < ${below}::uuid` : Prisma.empty;
    return everyTenant(services.prisma).$queryRaw<ListingRow[]>`
      SELECT l.id, l.type, l.name, l.publisher, l.description, l.version, l.url,
             l.listed_at AS "listedAt", shown.badges, publisher.badges AS "publisherBadges",
             known.domain AS "publisherDomain", known.legal_name AS "publisherLegalName",
             known.approved
      FROM marketplace_listing l
      JOIN tenant t ON t.id = l.tenant_id AND t.status = 'active'
      ${KNOWN}
      CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object(
            'certificationId', c.id, 'badge', c.badge, 'version', c.version,
            'attestation', CASE c.badge WHEN 'verified_publisher' THEN 'verified'
              ELSE 'self_attested' END,
            'selfReviewed', c.self_reviewed, 'validUntil', c.valid_until)
          ORDER BY c.badge, c.id) AS badges
        FROM certification c
        WHERE c.tenant_id = l.tenant_id AND c.listing_id = l.id AND ${IN_FORCE}) AS shown
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS badges FROM certification c
        JOIN marketplace_listing other ON other.tenant_id = c.tenant_id
          AND other.id = c.listing_id AND other.status = 'listed' AND other.measure IS NULL
        WHERE c.tenant_id = l.tenant_id AND ${IN_FORCE}) AS publisher
      WHERE ${PUBLIC} AND shown.badges IS NOT NULL ${ofType} ${beyond}
      ORDER BY l.id DESC LIMIT ${take}`;
  });
  const edges = found.edges.map(({ node, cursor }) => ({ node: shownListing(node), cursor }));
  return { edges, pageInfo: found.pageInfo };
}

function shownListing({ badges, publisherBadges, approved, ...row }: ListingRow): PublicListing {
  const verifiedBy = approved ? 'operator_verified' : 'domain_verified';
  const tier = PARTNER_TIERS.rows.find(
    ({ badgesMin, identityVerified }) =>
      publisherBadges >= badgesMin && (approved !== null || !identityVerified),
  );
  const shown = badges.map((each) => ({ ...each, validUntil: new Date(each.validUntil) }));
  return {
    ...row,
    publisherTier: tier?.code ?? 'registered',
    publisherStanding: approved === null ? 'self_attested' : verifiedBy,
    badges: shown as unknown as PublicListing['badges'],
  };
}

/** What was once certified is verified; what never was is unknown to everybody. */
const ONCE_CERTIFIED = { status: { in: ['certified', 'revoked'] } };

/**
 * Says of a badge what everybody may know, with a signed statement while it is in force.
 * @throws not_found, also for a review that did not end in a badge
 */
export async function verifyBadge(ctx: Ctx, id: string): Promise<BadgeVerification> {
  const { prisma } = ctx.services;
  const found = isUuid(id)
    ? await everyTenant(prisma).certification.findFirst({
        where: { id, ...ONCE_CERTIFIED },
        include: { listing: true },
      })
    : null;
  if (!found?.decidedAt || !found.validUntil) {
    return fail('not_found', { values: { subject: 'badge', id }, param: 'id' });
  }
  const { listing, ...row } = found;
  const now = sharedNow();
  const identities = await readIdentities(everyTenant(prisma), row.tenantId);
  const known = knownPublisher(identities, listing, now);
  const proved = known.standing !== 'self_attested';
  const status = statusAt(row, { isProved: proved, measure: listing?.measure ?? null }, now);
  const listingStatus = listing && listingStatusOf(listing, status === 'certified');
  const isPublic = listingStatus === 'listed';
  const hash = row.toolContractSha256;
  const said = {
    badge: BADGES.parse(row.badge),
    version: row.version,
    listingId: row.listingId,
    listingName: listing && isPublic ? listing.name : null,
    listingStatus: listing?.listedAt ? listingStatus : null,
    attestation: attestationOf(row.badge),
    toolContractSha256: hash && Buffer.from(hash).toString('hex'),
    toolContractVersion: row.toolContractVersion,
    simulated: row.simulated,
    gatesPassed: row.gatesPassed as Gate[],
    score: row.score ?? 0,
    selfReviewed: row.selfReviewed,
    certifiedAt: found.decidedAt,
    validUntil: found.validUntil,
  };
  const publisher = {
    publisher: listing && isPublic ? listing.publisher : null,
    publisherDomain: known.domain,
    publisherStanding: known.standing,
  };
  const valid = status === 'certified';
  const end = valid ? statementEnd(found.validUntil, now) : null;
  return {
    certificationId: row.id,
    valid,
    status,
    ...said,
    statement: end && (await statementOf(ctx, row.id, { ...said, ...publisher }, end)),
    statementValidUntil: end,
    jwksUrl: `${ctx.transport.baseUrl}/.well-known/jwks.json`,
  };
}

type Said = Pick<
  BadgeVerification,
  | 'badge'
  | 'version'
  | 'listingId'
  | 'listingName'
  | 'attestation'
  | 'toolContractSha256'
  | 'simulated'
  | 'gatesPassed'
  | 'selfReviewed'
  | 'validUntil'
> &
  Pick<PublicListing, 'publisher' | 'publisherDomain' | 'publisherStanding'>;

function statementOf(ctx: Ctx, id: string, said: Said, expiresAt: Date): Promise<string> {
  return ctx.services.tokens.signStatement({
    ...STATEMENT,
    subject: id,
    expiresAt,
    claims: {
      badge: said.badge,
      version: said.version,
      gates_passed: said.gatesPassed,
      attestation: said.attestation,
      self_reviewed: said.selfReviewed,
      simulated: said.simulated,
      listing_id: said.listingId,
      listing_name: said.listingName,
      publisher: said.publisher,
      publisher_domain: said.publisherDomain,
      publisher_standing: said.publisherStanding,
      tool_contract_sha256: said.toolContractSha256,
      valid_until: said.validUntil.toISOString(),
    },
  });
}
