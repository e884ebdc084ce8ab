import type { CompiledRow } from '../../../rest-compat/row.js';
import type { RequestClass } from './shedding.rules.js';

type Described = Pick<CompiledRow, 'module' | 'name'> & {
  readonly contract: Pick<CompiledRow['contract'], 'method' | 'path' | 'codec'>;
};

/** Rows that read sums or write long answers, by the file of their rows. */
const REPORT_MODULES: ReadonlySet<string> = new Set([
  'analytics',
  'audit',
  'billing-integrity',
  'cost',
  'focus',
  'month-close',
  'observability',
  'partner',
  'slo',
  'unit-economics',
  'value',
]);

const CHAT: ReadonlySet<string> = new Set([
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/models',
  '/v1/models/{+id}',
]);

/** In this order: the first that fits is the class of a row. */
const CLASSES: readonly (readonly [RequestClass, (row: Described) => boolean])[] = [
  ['sign_in', ({ module }) => module === 'auth' || module === 'approvals'],
  ['sign_in', ({ contract }) => /\/(approve|reject|kill-switch)$/.test(contract.path)],
  ['sign_in', ({ contract: { method, path } }) => method === 'DELETE' && path.startsWith('/api-')],
  ['chat', ({ contract }) => CHAT.has(contract.path)],
  ['reports', ({ contract }) => contract.codec === 'CSV'],
  ['reports', ({ module, contract }) => contract.method === 'GET' && REPORT_MODULES.has(module)],
];

/** How much the requests of a row matter when not all can be taken. */
export function classOfRow(row: Described): RequestClass {
  return CLASSES.find(([, fits]) => fits(row))?.[0] ?? 'general';
}
