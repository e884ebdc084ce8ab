import type { ValuesOf } from '../../kernel/fields/field.js';
import type { COMPILE_INPUT, COMPILED } from './tables.js';
import { type Component, type CutReason, PRIORITIES } from './vocabulary.js';

/** A context to compile. */
export type Context = ValuesOf<typeof COMPILE_INPUT.fields>;
type Item = Context['items'][number];

/** Tokens that the items of a context may take together. */
export function roomOf({ windowTokens, outputTokens, safetyTokens }: Context): number {
  return Math.max(0, windowTokens - outputTokens - safetyTokens);
}

/** What keeping an item is worth. */
export function worthOf({ value, priority }: Pick<Item, 'value' | 'priority'>): number {
  return value ?? PRIORITIES.find(priority)?.value ?? 0;
}

function sum(items: readonly Item[]): number {
  return items.reduce((tokens, item) => tokens + item.tokens, 0);
}

function isMust({ priority }: Item): boolean {
  return priority === 'MUST';
}

/** What lacks before the items that must stay fit; empty where they do. */
export function lackingRoom(context: Context): string[] {
  const must = context.items.filter(isMust);
  const lacking = sum(must) - roomOf(context);
  const over = context.budgets.flatMap(({ component, tokensMax }) => {
    const own = sum(must.filter((item) => item.component === component));
    return own > tokensMax ? [`${component}: ${own - tokensMax} more tokens of its budget`] : [];
  });
  return lacking > 0 ? [`${lacking} more tokens of the window`, ...over] : over;
}

/**
 * Compiles a context: every MUST item, and of the others those whose values add up to the most
 * within the window and the budgets; of equal values the fewest tokens. Exact, by dynamic
 * programming over values: at most 200 items of at most 10 each.
 */
export function compile(context: Context): ValuesOf<typeof COMPILED.fields> {
  const { items, budgets } = context;
  const room = roomOf(context);
  const must = items.filter(isMust);
  const free = room - sum(must);
  const budgetOf = new Map(budgets.map(({ component, tokensMax }) => [component, tokensMax]));
  const left = (component: Component) => {
    const own = sum(must.filter((item) => item.component === component));
    return Math.min(free, (budgetOf.get(component) ?? Number.POSITIVE_INFINITY) - own);
  };
  const components = [...new Set(items.map(({ component }) => component))];
  const tables = components.map((component) => {
    const optional = items.filter((item) => item.component === component && !isMust(item));
    return cheapest(optional, left(component));
  });
  const kept = new Set([...must, ...best(tables, free)]);
  const cut = items.filter((item) => !kept.has(item));
  return {
    verdict: 'COMPILED',
    roomTokens: room,
    usedTokens: sum([...kept]),
    value: [...kept].reduce((worth, item) => worth + worthOf(item), 0),
    kept: items.filter((item) => kept.has(item)).map(({ itemId }) => itemId),
    cut: cut.map((item) => ({
      itemId: item.itemId,
      component: item.component,
      tokens: item.tokens,
      reason: reasonOf(item, free, left(item.component)),
    })),
    components: components.map((component) => {
      const own = items.filter((item) => item.component === component);
      const stays = own.filter((item) => kept.has(item));
      const tokensMax = budgetOf.get(component) ?? null;
      return { component, tokensMax, keptTokens: sum(stays), cutTokens: sum(own) - sum(stays) };
    }),
  };
}

function reasonOf({ tokens }: Item, free: number, left: number): CutReason {
  if (tokens > free) return 'WINDOW';
  return tokens > left ? 'COMPONENT_BUDGET' : 'WORTH_LESS';
}

/** For each sum of values the choice with the fewest tokens, where there is one. */
type Choices = readonly (Choice | undefined)[];

/** Chosen items as a list that shares its tail with other choices. */
interface Choice {
  readonly tokens: number;
  readonly item?: Item;
  readonly rest?: Choice;
  readonly other?: Choice;
}

const NOTHING: Choices = [{ tokens: 0 }];

function cheapest(items: readonly Item[], tokensMax: number): Choices {
  return items.reduce((choices: Choices, item) => withItem(choices, item, tokensMax), NOTHING);
}

/** Each choice with and without one more item: a plain loop, since no step is more frequent. */
function withItem(choices: Choices, item: Item, tokensMax: number): Choices {
  const worth = worthOf(item);
  const sums: (Choice | undefined)[] = new Array(choices.length + worth).fill(undefined);
  for (let at = 0; at < choices.length; at += 1) {
    const rest = choices[at];
    if (!rest) continue;
    const known = sums[at];
    if (!known || known.tokens > rest.tokens) sums[at] = rest;
    const tokens = rest.tokens + item.tokens;
    if (tokens <= tokensMax) sums[at + worth] = { tokens, item, rest };
  }
  return sums;
}

function joined(first: Choices, second: Choices, tokensMax: number): Choices {
  const sums: (Choice | undefined)[] = [];
  for (const [worth, rest] of first.entries()) {
    if (!rest) continue;
    for (const [more, other] of second.entries()) {
      if (!other) continue;
      const tokens = rest.tokens + other.tokens;
      const known = sums[worth + more];
      if (tokens > tokensMax || (known && known.tokens <= tokens)) continue;
      sums[worth + more] = { tokens, rest, other };
    }
  }
  return sums;
}

function best(tables: readonly Choices[], tokensMax: number): Item[] {
  const all = tables.reduce((sums, table) => joined(sums, table, tokensMax), NOTHING);
  return itemsOf(all.findLast((choice) => choice !== undefined));
}

function itemsOf(choice: Choice | undefined): Item[] {
  const chosen: Item[] = [];
  const open = [choice];
  for (let next = open.pop(); open.length > 0 || next; next = open.pop()) {
    if (!next) continue;
    if (next.item) chosen.push(next.item);
    open.push(next.rest, next.other);
  }
  return chosen;
}
