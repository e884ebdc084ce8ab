import type { MicroRub } from '../../kernel/money.js';
import { NO_USAGE, type PriceRow, usageCost } from '../providers/price.js';
import type { BatchTemplate } from './templates.js';

/** Costs are compared for so many rows, so that no rounding hides a difference. */
export const PRICED_ROWS = 1_000;

/** How the figures of a template follow from its tokens and the price. */
export const BATCH_FORMULA =
  'single = (instruction + row_input) × input price + row_output × output price; packed = ' +
  '(instruction / rows_per_request + row_input) × input price + row_output × output price; both ' +
  'for 1,000 rows, rounded up; check = check_rows × single; pays_from_rows = check / (single − ' +
  'packed), rounded up to whole rows';

/** What a template costs in both forms. */
export interface BatchPrice {
  readonly verdict: 'pays' | 'never_pays';
  readonly syncMicroPerThousand: MicroRub;
  readonly asyncMicroPerThousand: MicroRub;
  readonly checkMicro: MicroRub;
  readonly paysFromRows: number | null;
}

type Tokens = Pick<
  BatchTemplate,
  | 'instruction_tokens'
  | 'row_input_tokens'
  | 'row_output_tokens'
  | 'rows_per_request'
  | 'check_rows'
>;

/**
 * What rows cost one by one and packed, at a list price. Rows that are first checked one by one are
 * paid beside the packed ones, so packing pays from the row on at which it has earned them.
 * @returns undefined where the price lacks a dimension that the rows use
 */
export function batchPrice(tokens: Tokens, price: PriceRow): BatchPrice | undefined {
  const { row_input_tokens: input, instruction_tokens: instruction } = tokens;
  // Rows that do not fill their last request pay for its instruction all the same.
  const instructions = Math.ceil(PRICED_ROWS / tokens.rows_per_request);
  const cost = (instructionsRead: number, rows: number) =>
    usageCost(
      {
        ...NO_USAGE,
        input_uncached: instructionsRead * instruction + rows * input,
        output_text: rows * tokens.row_output_tokens,
      },
      price,
      'ceil',
    );
  const single = cost(PRICED_ROWS, PRICED_ROWS);
  const packed = cost(instructions, PRICED_ROWS);
  const checkMicro = cost(tokens.check_rows, tokens.check_rows);
  if (single === undefined || packed === undefined || checkMicro === undefined) return undefined;
  const saved = single - packed;
  const rows = saved > 0n ? ceilDivided(checkMicro * BigInt(PRICED_ROWS), saved) : null;
  return {
    verdict: rows === null ? 'never_pays' : 'pays',
    syncMicroPerThousand: single,
    asyncMicroPerThousand: packed,
    checkMicro,
    // Nothing is packed before there are two rows.
    paysFromRows: rows === null ? null : Math.max(2, Number(rows)),
  };
}

function ceilDivided(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
