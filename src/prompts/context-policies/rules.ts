import type { ContextEvaluation, ContextRules, ContextTokens, ContextViolation } from './tables.js';
import {
  CONTEXT_CLASSES,
  CONTEXT_RULES,
  type ContextItem,
  type ContextRule,
} from './vocabulary.js';

/** What is said of an item: the rule, and what about the item violates it. */
type Said = readonly [rule: ContextRule, message: string];

/** A check of one item; undefined where nothing is violated. */
type Check = (rules: ContextRules, item: ContextItem, asOf: Date) => Said | undefined;

const CHECKS: readonly Check[] = [
  sourceViolation,
  dataClassViolation,
  understatement,
  tokensViolation,
  freshnessViolation,
  ({ citationRequired }, { citation }) =>
    citationRequired && isBlank(citation)
      ? ['citation_missing', 'The item has no citation.']
      : undefined,
  ({ provenanceRequired }, { provenance }) =>
    provenanceRequired && isBlank(provenance)
      ? ['provenance_missing', 'The item has no provenance.']
      : undefined,
];

/**
 * Holds a context pack against a policy. What an item does not say counts against it wherever the
 * policy asks for it. The order of items decides nothing, and an item that is added never takes
 * another one's violation away. An empty pack is allowed.
 */
export function evaluateContext(
  rules: ContextRules,
  pack: readonly ContextItem[],
  asOf: Date,
): ContextEvaluation {
  const ofItems = pack.flatMap((item, position) =>
    CHECKS.flatMap((check) => {
      const said = check(rules, item, asOf);
      return said ? [violation(said, item.id, position)] : [];
    }),
  );
  const tokens = tokensOf(pack);
  const violations = [...ofItems, ...budgetViolations(rules, pack, tokens.total)];
  return {
    decision: violations.length === 0 ? 'allow' : 'block',
    violations,
    items: pack.length,
    violatingItems: new Set(ofItems.map(({ position }) => position)).size,
    tokens,
  };
}

/** True where a pattern matches a whole text; `*` stands for any characters, case is ignored. */
export function matchesPattern(pattern: string, text: string): boolean {
  const pieces = pattern.toLowerCase().split('*');
  const lower = text.toLowerCase();
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return lower === first;
  if (lower.length < first.length + last.length) return false;
  if (!lower.startsWith(first) || !lower.endsWith(last)) return false;
  const end = lower.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = lower.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

function sourceViolation(
  { allowSources, blockSources }: ContextRules,
  { source }: ContextItem,
): Said | undefined {
  if (allowSources === null && blockSources.length === 0) return undefined;
  if (source === null || isBlank(source)) return ['source_missing', 'The item has no source.'];
  const blocking = blockSources.find((pattern) => matchesPattern(pattern, source));
  if (blocking !== undefined) {
    return ['source_blocked', `The source ${source} matches the blocked ${blocking}.`];
  }
  const allowed = allowSources?.some((pattern) => matchesPattern(pattern, source)) ?? true;
  return allowed ? undefined : ['source_not_allowed', `No allowed source matches ${source}.`];
}

function dataClassViolation(
  { dataClasses }: ContextRules,
  { dataClass }: ContextItem,
): Said | undefined {
  if (dataClasses === null) return undefined;
  if (dataClass === null) return ['data_class_missing', 'The item has no data class.'];
  if (dataClasses.includes(dataClass)) return undefined;
  const allowed = dataClasses.join(', ') || 'none';
  return ['data_class_not_allowed', `The class ${dataClass} is not allowed; allowed: ${allowed}.`];
}

function understatement(
  _rules: ContextRules,
  { dataClass, judged }: ContextItem,
): Said | undefined {
  if (dataClass === null || judged === undefined) return undefined;
  const { codes } = CONTEXT_CLASSES;
  if (codes.indexOf(judged.dataClass) <= codes.indexOf(dataClass)) return undefined;
  const found = judged.findings.join(', ');
  const message = `The item states ${dataClass}, but its text is ${judged.dataClass}: ${found}.`;
  return ['data_class_understated', message];
}

function tokensViolation({ tokenBudget }: ContextRules, { tokens }: ContextItem): Said | undefined {
  if (tokenBudget === null || tokens !== null) return undefined;
  return ['tokens_missing', 'The item has neither a text nor tokens.'];
}

const DAY_MS = 86_400_000;

function freshnessViolation(
  { freshnessDays }: ContextRules,
  { updatedAt }: ContextItem,
  asOf: Date,
): Said | undefined {
  if (freshnessDays === null) return undefined;
  if (updatedAt === null) return ['date_missing', 'The item does not say when it was updated.'];
  const ageMs = asOf.getTime() - updatedAt.getTime();
  const updated = updatedAt.toISOString();
  if (ageMs < 0) {
    return ['date_in_future', `The item was updated ${updated}, after ${asOf.toISOString()}.`];
  }
  if (ageMs <= freshnessDays * DAY_MS) return undefined;
  const message = `The item was updated ${updated}, more than ${freshnessDays} days before.`;
  return ['too_old', message];
}

/** Names of items in the message about the budget. */
const LARGEST_NAMED = 3;

function budgetViolations(
  { tokenBudget }: ContextRules,
  pack: readonly ContextItem[],
  total: number,
): ContextViolation[] {
  if (tokenBudget === null || total <= tokenBudget) return [];
  const largest = pack
    .filter(({ tokens }) => tokens !== null)
    .sort((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, LARGEST_NAMED)
    .map(({ id, tokens }) => `${id} (${tokens})`);
  const message =
    `The items have ${total} tokens, ${total - tokenBudget} more than ${tokenBudget}; ` +
    `the largest: ${largest.join(', ')}.`;
  return [violation(['token_budget_exceeded', message], null, null)];
}

function tokensOf(pack: readonly ContextItem[]): ContextTokens {
  const known = pack.filter(({ tokens }) => tokens !== null);
  const counted = known.filter(({ tokensCounted }) => tokensCounted).length;
  const source = counted === known.length ? 'counted' : counted === 0 ? 'declared' : 'mixed';
  return {
    total: known.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
    unknownItems: pack.length - known.length,
    source,
  };
}

function violation(
  [rule, message]: Said,
  itemId: string | null,
  position: number | null,
): ContextViolation {
  return { itemId, position, rule, message, fix: CONTEXT_RULES.find(rule)?.fix ?? '' };
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
