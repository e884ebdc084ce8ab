import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import { fail } from '../../kernel/errors/fail.js';
import {
  UNREAD_KINDS,
  type UnreadKind,
  type UnreadMode,
  unreadDataClass,
} from '../../kernel/firewall/contents.js';
import {
  effectiveDataClass,
  highestDataClass,
  type SourcedClass,
} from '../../kernel/firewall/data-class.rules.js';
import { looksForNothing } from '../../kernel/firewall/modes.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { openRoutes } from '../../routing/data-routes.rules.js';
import { blocksApart, blocksTogether } from '../context/blocks-apart.js';
import { type Asker, inspectRequestApart } from '../firewall/apart/apart.js';
import { atOnceMax, isHeavy } from '../firewall/apart/weight.js';
import { remainingDataClass } from '../firewall/finding.js';
import { inspectRequest, type RequestInspection } from '../firewall/inspect.js';
import { maskedLabels } from '../firewall/labels.js';
import type { TokenReadings } from '../firewall/survey.js';
import { readTokens, tokenArrays } from '../firewall/token-text.js';
import type { Unread } from '../firewall/unread.js';
import type { InferenceRequest } from '../request.js';
import { type StatedBy, statedClasses } from '../stated-classes.rules.js';

/** What the firewall made of a request, and where its data may go. */
export interface Inspected {
  readonly inspection: RequestInspection<JsonObject>;
  /** Everybody who says a class of the data, with the class; the highest of them is `classHeld`. */
  readonly sources: readonly SourcedClass[];
  /**
   * The class of the data as the gateway holds it, before anything is masked: it closes the cache
   * and is in rows and receipts.
   */
  readonly classHeld: DataClass;
  /**
   * The class of what leaves: it decides about routes. Lower than `classHeld` only where the policy
   * no longer counts what was masked; a stated class always counts.
   */
  readonly dataClass: DataClass;
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
  /** The content that nothing read, by its kind. */
  readonly unread: readonly UnreadCount[];
}

/** How much content of one kind nothing read, and what the policies say about it. */
export interface UnreadCount {
  readonly kind: UnreadKind;
  readonly count: number;
  readonly policy: UnreadMode;
}

/**
 * Finds, masks or blocks, and decides which data routes are open. The class of the data is the
 * highest that anybody states, the firewall finds, or content that nothing read has. Token arrays
 * are decoded first, in turns with everything else that the process does. What is too much for a
 * turn of the event loop is scanned apart.
 * @throws firewall_blocked, content_unread, firewall_scan_too_long
 */
export function firewallIn(
  request: InferenceRequest,
  policy: EffectivePolicy,
  by: StatedBy,
  asker: Asker,
): Inspected | Promise<Inspected> {
  const apart = blocksApart(request);
  const body = apart?.body ?? request.body;
  const judged = (found: RequestInspection<JsonObject>) => {
    if (!apart) return inspected(found, request, policy, by);
    const sent = found.body === body ? request.body : blocksTogether(found.body, apart);
    return inspected({ ...found, body: sent }, request, policy, by);
  };
  const arrays = request.operation === 'embeddings' ? tokenArrays(body.input) : undefined;
  if (arrays || isHeavy(body, policy.firewall)) {
    return inApart(body, policy, asker, arrays).then(judged);
  }
  return judged(inspectRequest(body, policy.firewall));
}

async function inApart(
  body: JsonObject,
  policy: EffectivePolicy,
  asker: Asker,
  arrays: readonly (readonly number[])[] | undefined,
): Promise<RequestInspection<JsonObject>> {
  const readings = arrays && (await readTokens(arrays));
  const { firewall } = policy;
  const isApart = isHeavy(body, firewall) || lengthOf(readings) > atOnceMax(firewall);
  return isApart
    ? inspectRequestApart(body, firewall, readings, asker)
    : inspectRequest(body, firewall, readings);
}

function lengthOf(readings: TokenReadings): number {
  const texts = readings?.flat() ?? [];
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

function inspected(
  inspection: RequestInspection<JsonObject>,
  request: InferenceRequest,
  policy: EffectivePolicy,
  by: StatedBy,
): Inspected {
  if (inspection.verdict === 'blocked') {
    fail('firewall_blocked', {
      values: { classes: inspection.blockedBy.join(', ') },
      data: { gw_firewall: { verdict: 'blocked', findings: inspection.findings } },
    });
  }
  const unread = unreadCounts(inspection.unread, policy);
  requirePassable(inspection.unread, unread);
  const said = [...statedClasses(request, policy, by), ...saidOfUnread(unread)];
  const found = looksForNothing(policy.firewall) ? [] : foundAs(inspection.dataClass);
  const sources = said.length === 0 ? found : [...said, ...found];
  const classHeld = effectiveDataClass(sources);
  const dataClass =
    policy.hybrid === 'any'
      ? effectiveDataClass([
          ...said,
          ...foundAs(remainingDataClass(inspection.findings, policy.firewall)),
        ])
      : classHeld;
  const jurisdictionsAllowed = openRoutes(policy, dataClass);
  return { inspection, sources, classHeld, dataClass, jurisdictionsAllowed, unread };
}

/** What the firewall says of the class. */
function foundAs(dataClass: DataClass): readonly SourcedClass[] {
  return [{ source: 'firewall', dataClass }];
}

/** The class of content that nothing read, as the policies have it. */
function saidOfUnread(unread: readonly UnreadCount[]): readonly SourcedClass[] {
  const dataClass = highestDataClass(unread.map(({ policy }) => unreadDataClass(policy)));
  return dataClass === undefined ? [] : [{ source: 'unread', dataClass }];
}

const NONE: readonly UnreadCount[] = Object.freeze([]);

function unreadCounts(content: readonly Unread[], policy: EffectivePolicy): readonly UnreadCount[] {
  if (content.length === 0) return NONE;
  return UNREAD_KINDS.flatMap(({ code: kind }) => {
    const count = content.filter((each) => each.kind === kind).length;
    return count > 0 ? [{ kind, count, policy: policy.unread[kind] }] : [];
  });
}

/** A refusal names so many places; the counts are of all. */
const PLACES_MAX = 10;

/** @throws content_unread where a policy refuses a kind */
function requirePassable(content: readonly Unread[], counts: readonly UnreadCount[]): void {
  const refused = counts.filter(({ policy }) => policy === 'refuse');
  if (refused.length === 0) return;
  const kinds = new Set(refused.map(({ kind }) => kind));
  const places = content.filter(({ kind }) => kinds.has(kind)).slice(0, PLACES_MAX);
  const named = places.map(({ kind, place }) => `${kind} in ${place}`);
  fail('content_unread', {
    values: { content: named.join(', ') },
    param: places[0]?.place,
    data: { gw_firewall: { verdict: 'refused', unread: refused } },
  });
}

/** The request with labels as its rows may keep them; the same one where nothing was found. */
export function withLabelsMasked(
  request: InferenceRequest,
  { inspection }: Inspected,
  { firewall }: EffectivePolicy,
): InferenceRequest {
  if (inspection.findings.length === 0) return request;
  return { ...request, metadata: maskedLabels(request.metadata, firewall) };
}
