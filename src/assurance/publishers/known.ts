import type { PublisherIdentity } from '../../generated/prisma/client.js';
import type { Ctx, Services } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';

const underWay = new WeakMap<Ctx, Promise<readonly PublisherIdentity[]>>();

/**
 * The claims of the caller's organization that can still be verified. All that ask at one moment,
 * such as the items of a page, are one question.
 */
export function ownIdentities(ctx: Ctx): Promise<readonly PublisherIdentity[]> {
  const known = underWay.get(ctx);
  if (known !== undefined) return known;
  const asked = readIdentities(database(ctx), ctx.who?.tenantId ?? NOBODY).finally(() =>
    underWay.delete(ctx),
  );
  underWay.set(ctx, asked);
  return asked;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The claims of an organization that can still be verified. */
export function readIdentities(
  { publisherIdentity }: Pick<Services['prisma'], 'publisherIdentity'>,
  tenantId: string,
): Promise<readonly PublisherIdentity[]> {
  return publisherIdentity.findMany({
    where: {
      ...{ tenantId, withdrawnAt: null, revokedAt: null },
      OR: [{ provedUntil: { not: null } }, { approvedUntil: { not: null } }],
    },
  }) as never;
}
