import { divide, type MicroRub } from '../../kernel/money.js';
import type { ModelFacts } from '../providers/model.js';
import { NO_USAGE, type PriceRow, usageCost } from '../providers/price.js';
import type { BatchTemplate } from './templates.js';

/** Prices are shown for so many rows. */
const PRICED_ROWS = 1_000;

/** How the figures of a template follow from its tokens and the price. */
export const BATCH_FORMULA =
  'single(n) = n × ((instruction + row_input) × input price + row_output × output price); ' +
  'packed(n) = single(n) − (n − requests) × instruction × input price, where requests = n / ' +
  'rows_per_request, rounded up; check = single(check_rows); pays_from_rows = the first n for ' +
  'which check + packed(n) < single(n), before any rounding; prices shown are those of n = 1,000 ' +
  'and of the check, rounded up to a micro-ruble';

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

/** What a model has to have room for. */
type Room = Pick<ModelFacts, 'operation' | 'contextWindow' | 'maxOutputTokens'>;

/**
 * Whether a model does the work of a template, and takes a packed request of it. Of embeddings each
 * row is read by itself.
 */
export function servesTemplate(template: BatchTemplate, model: Room): boolean {
  const { row_input_tokens: input, rows_per_request: rows } = template;
  const operation = template.job_type === 'embeddings' ? 'embeddings' : 'chat';
  if (model.operation !== operation) return false;
  if (operation === 'embeddings') return input <= model.contextWindow;
  const output = rows * template.row_output_tokens;
  const asked = template.instruction_tokens + rows * input;
  return output <= model.maxOutputTokens && asked + output <= model.contextWindow;
}

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
  const rows = paysFrom(tokens, price);
  return {
    verdict: rows === null ? 'never_pays' : 'pays',
    syncMicroPerThousand: single,
    asyncMicroPerThousand: packed,
    checkMicro,
    paysFromRows: rows,
  };
}

/**
 * The first number of rows for which the packed requests and the check cost less than the rows one
 * by one; no cost is rounded on the way. Rows save an instruction each, but for one of each request
 * that is begun: n rows save n − ⌈n ÷ r⌉ of them, which never falls as n grows, and q are first
 * saved by q + ⌈q ÷ (r − 1)⌉ rows.
 * @returns null where packing saves nothing
 */
function paysFrom(tokens: Tokens, { microRubPerMillion: price }: PriceRow): number | null {
  const input = price.input_uncached ?? 0n;
  const instruction = BigInt(tokens.instruction_tokens) * input;
  const perRequest = BigInt(tokens.rows_per_request);
  if (instruction === 0n || perRequest === 1n) return null;
  const answer = BigInt(tokens.row_output_tokens) * (price.output_text ?? 0n);
  const single = instruction + BigInt(tokens.row_input_tokens) * input + answer;
  const saved = (BigInt(tokens.check_rows) * single) / instruction + 1n;
  return Number(saved + divide(saved, perRequest - 1n, 'ceil'));
}
