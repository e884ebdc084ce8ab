import { looksForNothing, replacesValue, withoutInjection } from '../../kernel/firewall/modes.js';
import type { DataClass, FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { type BodyText, rewriteAnswer, rewriteRequest } from './body-texts.js';
import { type Finding, type FindingCount, inOrderOfReceipts, Tally } from './finding.js';
import { isEscapedJson, JsonText } from './json-text.js';
import { type Encoding, replaceFindings, unmaskText, Vault } from './mask.js';
import { mayHoldValues, scan } from './scan.js';
import { ScanReport, StreamScanner } from './stream.js';

/** How many values of a class were replaced. */
export interface MaskedCount {
  readonly class: FindingClass;
  readonly count: number;
}

/** What the firewall says about a request before it leaves. */
export interface RequestInspection<T extends object> {
  readonly verdict: 'pass' | 'masked' | 'blocked';
  readonly findings: readonly FindingCount[];
  readonly masked: readonly MaskedCount[];
  /** The highest class of data found, masked or not; C0 where nothing was found. */
  readonly dataClass: DataClass;
  readonly vault: Vault;
  /** The given body itself where nothing changes, and where the request is blocked. */
  readonly body: T;
}

/** What the firewall says about an answer that is no stream. */
export interface ResponseInspection<T extends object> {
  readonly verdict: 'pass' | 'masked';
  readonly findings: readonly FindingCount[];
  readonly masked: readonly MaskedCount[];
  readonly dataClass: DataClass;
  /** The given body itself where nothing changes. */
  readonly body: T;
}

/** What was found in one text, with places in the text as it reads. */
interface Inspected {
  readonly findings: readonly Finding[];
  readonly encoding: Encoding;
}

function maskedCounts(counts: ReadonlyMap<FindingClass, number>): MaskedCount[] {
  return inOrderOfReceipts(counts.keys()).flatMap((code) => {
    const count = counts.get(code);
    return count ? [{ class: code, count }] : [];
  });
}

/** One pass over the texts of a request: what is in them, and nothing changed. */
class Survey {
  readonly vault = new Vault();
  readonly tally = new Tally();
  readonly inspected: Inspected[] = [];
  isBlocked = false;
  isMasked = false;
  readonly #modes: FirewallModes;
  readonly #ownModes: FirewallModes;

  constructor(modes: FirewallModes) {
    this.#modes = modes;
    this.#ownModes = withoutInjection(modes);
  }

  add({ text, encoding: written, isForeign }: BodyText): void {
    const encoding = written === 'plain' && isEscapedJson(text) ? 'escaped' : written;
    const view = encoding === 'plain' ? text : new JsonText(text).view;
    const findings = scan(view, isForeign ? this.#modes : this.#ownModes);
    this.vault.reserve(text);
    this.inspected.push({ findings, encoding });
    for (const finding of findings) this.#note(finding, view);
  }

  #note(finding: Finding, view: string): void {
    this.tally.add(finding.class, finding.confidence);
    this.vault.remember(finding.class, view.slice(finding.start, finding.end));
    const mode = this.#modes[finding.class];
    if (mode === 'block' && finding.confidence === 'confirmed') this.isBlocked = true;
    if (replacesValue(mode)) this.isMasked = true;
  }
}

/**
 * Judges the body of a chat or embeddings request. Blocked where a confirmed finding's class is
 * under `block`; else masked where any finding's class is under `mask` or `block`. The body is
 * never mutated. Markers of prompt injection count in what users and tools say, not in the
 * tenant's own system messages and not in texts that are embedded.
 */
export function inspectRequest<T extends object>(
  body: T,
  modes: FirewallModes,
): RequestInspection<T> {
  const survey = new Survey(modes);
  if (!looksForNothing(modes)) {
    rewriteRequest(body, (text) => {
      survey.add(text);
      return text.text;
    });
  }
  const { vault, tally } = survey;
  const common = { findings: tally.counts(), dataClass: tally.dataClass(modes), vault };
  if (survey.isBlocked) return { verdict: 'blocked', ...common, masked: [], body };
  if (!survey.isMasked) return { verdict: 'pass', ...common, masked: [], body };
  const masked = new Map<FindingClass, number>();
  let next = 0;
  const rewritten = rewriteRequest(body, ({ text }) => {
    const { findings, encoding } = survey.inspected[next++] as Inspected;
    const replaced = findings.filter((finding) => replacesValue(modes[finding.class]));
    const placeholder = (finding: Finding, value: string) => {
      masked.set(finding.class, (masked.get(finding.class) ?? 0) + 1);
      return vault.placeholderFor(finding.class, value);
    };
    return replaceFindings(text, replaced, placeholder, encoding);
  });
  return { verdict: 'masked', ...common, masked: maskedCounts(masked), body: rewritten };
}

/**
 * Judges an answer that is no stream: finds what the client did not send, replaces it by `[class]`
 * where the mode says so, then puts the client's own values back for their placeholders. Each text
 * is treated exactly as StreamScanner and StreamUnmasker treat it in pieces.
 */
export function inspectResponse<T extends object>(
  body: T,
  modes: FirewallModes,
  vault: Vault,
): ResponseInspection<T> {
  const report = new ScanReport();
  const { tally, masked } = report;
  const rewritten = rewriteAnswer(body, ({ text, encoding }) => {
    if (encoding === 'plain' && !mayHoldValues(text, modes)) return unmaskText(text, vault);
    const scanner = new StreamScanner(modes, vault, encoding, report);
    return unmaskText(scanner.push(text) + scanner.flush(), vault, encoding);
  });
  return {
    verdict: masked.size > 0 ? 'masked' : 'pass',
    findings: tally.counts(),
    masked: maskedCounts(masked),
    dataClass: tally.dataClass(modes),
    body: rewritten,
  };
}
