import { COST_MICRO, FAILED, type Planted, pricesWith } from './books.js';
import type { Check } from './checked.js';

/** Each kind of fault: what is planted, and the faults that each check names it by. */
interface Kind {
  readonly name: string;
  readonly count: number;
  readonly planted: Planted;
  readonly named: Partial<Record<Check, readonly string[]>>;
}

/** A request that is whole. */
export const WHOLE = { hold: {}, finalize: {}, usage: {} };

/** Forty faults in all. */
export const KINDS: readonly Kind[] = [
  {
    name: 'a charge without usage',
    count: 4,
    planted: { hold: {}, finalize: {} },
    named: { completeness: ['orphan_charge'] },
  },
  {
    name: 'usage without a line of the ledger',
    count: 4,
    planted: { usage: {} },
    named: { completeness: ['orphan_usage'] },
  },
  {
    name: 'usage of a failure without a line of the ledger',
    count: 2,
    planted: { usage: FAILED },
    named: { completeness: ['orphan_usage'] },
  },
  {
    name: 'a charge without a hold',
    count: 3,
    planted: { finalize: {}, usage: {} },
    named: { completeness: ['orphan_end'] },
  },
  {
    name: 'a charge whose usage says that it failed',
    count: 2,
    planted: { hold: {}, finalize: {}, usage: FAILED },
    named: { completeness: ['orphan_charge'] },
  },
  {
    name: 'a request that was charged and released',
    count: 3,
    planted: { ...WHOLE, release: {} },
    named: { completeness: ['double'] },
  },
  {
    name: 'a request that was charged twice',
    count: 3,
    planted: { ...WHOLE, finalizeElsewhere: {} },
    named: {
      completeness: ['double'],
      'dual-meter': ['amount_differs', 'tax_differs'],
      replay: ['replay_differs'],
    },
  },
  {
    name: 'a dangling hold',
    count: 4,
    planted: { hold: {} },
    named: { completeness: ['dangling'] },
  },
  {
    name: 'a meter that is one micro-ruble off',
    count: 4,
    planted: { ...WHOLE, usage: { amount_micro: COST_MICRO - 1n } },
    named: { 'dual-meter': ['amount_differs'] },
  },
  {
    name: 'another tax in usage',
    count: 2,
    planted: { ...WHOLE, usage: { vat_micro: 1 } },
    named: { 'dual-meter': ['tax_differs'] },
  },
  {
    name: 'both meters one micro-ruble off',
    count: 3,
    planted: {
      hold: {},
      finalize: { amount_micro: COST_MICRO - 1n },
      usage: { amount_micro: COST_MICRO - 1n },
    },
    named: { replay: ['replay_differs'] },
  },
  {
    name: 'the price row of another model',
    count: 2,
    planted: { ...WHOLE, usage: { prices: pricesWith({ output_text: '800002000' }) } },
    named: { replay: ['replay_differs'] },
  },
  {
    name: 'a price row that is no price',
    count: 2,
    planted: { ...WHOLE, usage: { prices: pricesWith({ output_text: 'free' }) } },
    named: { replay: ['replay_differs'] },
  },
  {
    name: 'a price row of the future',
    count: 2,
    planted: { ...WHOLE, usage: { prices: pricesWith({ effective_from: '2999-01-01' }) } },
    named: { replay: ['price_not_in_force'] },
  },
];
