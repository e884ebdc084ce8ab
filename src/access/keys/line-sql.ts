import type { KeyBounds } from '../../graph/ctx.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import { addressRange } from '../../platform/network/address-ranges.js';

/**
 * Joins the line of a key `k`: the keys that led to it, from maker to maker, with all limits; and
 * its owner `o`, the member who made the first of them, unless a key of the organization is among
 * them: such a key and what it has made survive the member.
 */
export const LINE_JOIN = `CROSS JOIN LATERAL (
  WITH RECURSIVE line AS (
    SELECT k.id, k.name, k.created_by, k.rotated_by, k.key_type, k.limits_id, 0 AS depth
    UNION ALL
    SELECT m.id, m.name, m.created_by, m.rotated_by, m.key_type, m.limits_id, line.depth + 1
    FROM line
    JOIN api_key m ON m.id = line.created_by AND m.tenant_id = k.tenant_id
    WHERE line.depth < 100)
  SELECT array_agg(line.id ORDER BY depth) FILTER (WHERE depth > 0) AS makers,
         array_agg(line.created_by) AS created_by, bool_or(line.key_type = 'service') AS is_shared,
         array_agg(line.rotated_by) FILTER (WHERE depth > 0 AND line.rotated_by IS NOT NULL
           AND line.key_type <> 'service') AS holders,
         (SELECT jsonb_agg(jsonb_build_object('id', l.id, 'name', line.name, 'rpm', l.rpm,
                   'tpm', l.tpm, 'models', l.allowed_models, 'addresses', l.allowed_addresses,
                   'dataClassMin', l.data_class_min,
                   'budgets', ARRAY(
                     SELECT jsonb_build_object('id', b.id, 'name', b.name) FROM budget b
                     WHERE b.tenant_id = k.tenant_id AND b.scope_kind = 'key'
                       AND b.scope_ref = l.id::text AND b.active ORDER BY b.id))
                 ORDER BY depth)
          FROM line JOIN key_limits l ON l.id = line.limits_id AND l.tenant_id = k.tenant_id)
           AS bounds
  FROM line) line
  LEFT JOIN app_user o ON o.id = ANY (line.created_by) AND o.tenant_id = k.tenant_id
    AND NOT line.is_shared`;

/** What `LINE_JOIN` brings. Who made a key never changes. */
export interface LineColumns {
  readonly makers: readonly string[] | null;
  /** The role of the owner now; null where there is none. */
  readonly owner_role: string | null;
  readonly bounds: readonly BoundsRow[] | null;
}

interface BoundsRow {
  readonly id: string;
  readonly name: string;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly models: readonly string[];
  readonly addresses: readonly string[];
  readonly dataClassMin: DataClass | null;
  readonly budgets: KeyBounds['budgets'];
}

/** The limits of a line, those that several keys share once; undefined where there are none. */
export function boundsOfLine(rows: LineColumns['bounds']): readonly KeyBounds[] | undefined {
  if (!rows) return undefined;
  const byId = new Map([...rows].reverse().map((row) => [row.id, boundsOf(row)]));
  return [...byId.values()];
}

function boundsOf(row: BoundsRow): KeyBounds {
  const { id, name, rpm, tpm, models, addresses, budgets, dataClassMin } = row;
  const ranges = addresses.flatMap((each) => {
    const range = addressRange(each);
    return range ? [range] : [];
  });
  return {
    id,
    name,
    models: models.length > 0 ? new Set(models) : undefined,
    rpm: rpm ?? undefined,
    tpm: tpm ?? undefined,
    budgets,
    // What cannot be read lets nobody in.
    addresses: addresses.length > 0 ? ranges : undefined,
    dataClassMin: dataClassMin ?? undefined,
  };
}
