import { looksForNothing } from '../../kernel/firewall/modes.js';
import type { DataClass, FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { AnswerWalk } from './answer-texts.js';
import { rewriteRequest } from './body-texts.js';
import { type FindingCount, inOrderOfReceipts } from './finding.js';
import type { Vault } from './mask.js';
import { Masking, UnreadOnly } from './masking.js';
import { ScanReport } from './stream.js';
import { Survey, type TokenReadings } from './survey.js';
import type { Unread } from './unread.js';

/** How many values of a class were replaced. */
export interface MaskedCount {
  readonly class: FindingClass;
  readonly count: number;
}

/** What was found in an answer. */
export interface FirewallOut {
  readonly findings: readonly FindingCount[];
  readonly masked: readonly MaskedCount[];
}

interface Inspection<T extends object> {
  readonly findings: readonly FindingCount[];
  readonly masked: readonly MaskedCount[];
  /** The highest class of data found, masked or not; C0 where nothing was found. */
  readonly dataClass: DataClass;
  /** The given body itself where nothing changes, and where a request is blocked. */
  readonly body: T;
}

/** What the firewall says about a request before it leaves. */
export interface RequestInspection<T extends object> extends Inspection<T> {
  readonly verdict: 'pass' | 'masked' | 'blocked';
  /** The classes that refuse it. */
  readonly blockedBy: readonly FindingClass[];
  /** The content that nothing reads, in the order of the request. */
  readonly unread: readonly Unread[];
  readonly vault: Vault;
}

/** What the firewall says about an answer that is no stream. */
export interface ResponseInspection<T extends object> extends Inspection<T> {
  readonly verdict: 'pass' | 'masked';
}

function maskedCounts(counts: ReadonlyMap<FindingClass, number>): MaskedCount[] {
  return inOrderOfReceipts(counts.keys()).flatMap((code) => {
    const count = counts.get(code);
    return count ? [{ class: code, count }] : [];
  });
}

/**
 * Judges the body of a chat or embeddings request. Blocked where a confirmed finding's class is
 * under `block`; else masked where any finding's class is under `mask` or `block`. The body is
 * never mutated. Markers of prompt injection count in what users and tools say, not in the
 * tenant's own system messages and not in texts that are embedded. The data class is that of what
 * was read.
 * @param readings the token arrays of the body as texts; without them they are not read
 * @throws invalid_request where the body is nested too deep
 */
export function inspectRequest<T extends object>(
  body: T,
  modes: FirewallModes,
  readings?: TokenReadings,
): RequestInspection<T> {
  const survey = new Survey(modes, readings);
  rewriteRequest(body, looksForNothing(modes) ? new UnreadOnly(survey) : survey);
  const { vault, tally, unreadContent: unread, isMasked } = survey;
  const blockedBy = survey.blockedBy.size === 0 ? NONE : inOrderOfReceipts(survey.blockedBy);
  const isRewritten = blockedBy.length === 0 && isMasked;
  const masking = isRewritten ? new Masking(survey, modes) : undefined;
  return {
    verdict: blockedBy.length > 0 ? 'blocked' : isRewritten ? 'masked' : 'pass',
    findings: tally.counts(),
    dataClass: tally.dataClass(modes),
    vault,
    unread,
    blockedBy,
    body: masking ? rewriteRequest(body, masking) : body,
    masked: masking ? maskedCounts(masking.masked) : [],
  };
}

const NONE: readonly FindingClass[] = Object.freeze([]);

/**
 * Judges an answer that is no stream: finds what the client did not send, replaces it by `[class]`
 * where the mode says so, then puts the client's own values back for their placeholders, wherever
 * they stand. Each text is treated exactly as AnswerPipe treats it in pieces.
 */
export function inspectResponse<T extends object>(
  body: T,
  modes: FirewallModes,
  vault: Vault,
): ResponseInspection<T> {
  const report = new ScanReport();
  const rewritten = new AnswerWalk(modes, vault, report).body(body);
  const { tally, masked } = report;
  return {
    verdict: masked.size > 0 ? 'masked' : 'pass',
    findings: tally.counts(),
    masked: maskedCounts(masked),
    dataClass: tally.dataClass(modes),
    body: rewritten,
  };
}
