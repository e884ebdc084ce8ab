import type { PrismaClient } from '../../generated/prisma/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { fail } from '../../kernel/errors/fail.js';
import type { DataKeys, TenantPlace } from '../data-keys.js';
import { SealError } from '../secrets.js';

/** What of a table is sealed with the data key of its tenant. */
export interface SealedTable {
  readonly table: string;
  /** What names a row of a tenant: the place that a value is sealed for. */
  readonly key: readonly string[];
  /** Open field and column; the sealed ones are called `<field>Sealed` and `<column>_sealed`. */
  readonly columns: Readonly<Record<string, string>>;
  /** The condition of the rows that are sealed, where not all are. */
  readonly which?: string;
  /** True where the open column is text that is sealed as it is, and no JSON. */
  readonly isText?: boolean;
}

const BY_ID = ['id'] as const;

/** Kinds of receipts whose content holds values of outside records or answers of models. */
export const SEALED_RECEIPT_KINDS: ReadonlySet<string> = new Set([
  'integration_action',
  'integration_rollback',
  'blueprint_step',
  'blueprint_run',
]);

/** Every table with sealed columns, by its model. */
export const SEALED_TABLES = {
  ToolCall: {
    table: 'tool_call',
    key: BY_ID,
    columns: { arguments: 'arguments', result: 'result' },
  },
  IntegrationRecord: {
    table: 'integration_record',
    key: ['connector', 'recordRef'],
    columns: { state: 'state' },
  },
  IntegrationPreview: {
    table: 'integration_preview',
    key: BY_ID,
    columns: { input: 'input', stateBefore: 'state_before', proposedChanges: 'proposed_changes' },
  },
  IntegrationAction: {
    table: 'integration_action',
    key: BY_ID,
    columns: { changedFields: 'changed_fields', rollback: 'rollback' },
  },
  Approval: { table: 'approval', key: BY_ID, columns: { shown: 'shown' } },
  PromptVersion: { table: 'prompt_version', key: BY_ID, columns: { samples: 'samples' } },
  PromptCaseSet: { table: 'prompt_case_set', key: BY_ID, columns: { cases: 'cases' } },
  BlueprintRun: {
    table: 'blueprint_run',
    key: BY_ID,
    columns: { input: 'input', steps: 'steps', businessResult: 'business_result' },
  },
  BlueprintRunUnderway: {
    table: 'blueprint_run_underway',
    key: BY_ID,
    columns: { input: 'input', steps: 'steps' },
  },
  SealedReceipt: {
    table: 'sealed_receipt',
    key: BY_ID,
    columns: { content: 'content' },
    which: `kind IN (${[...SEALED_RECEIPT_KINDS].map((kind) => `'${kind}'`).join(', ')})`,
    isText: true,
  },
} as const satisfies Partial<Record<Prisma.ModelName, SealedTable>>;

/** A model with sealed columns. */
export type SealedModel = keyof typeof SEALED_TABLES;

/** Rows of these models that come along with a row of another one. */
const NESTED: Partial<Record<Prisma.ModelName, Readonly<Record<string, SealedModel>>>> = {
  Prompt: { versions: 'PromptVersion' },
  PromptStage: { content: 'PromptVersion' },
};

type Values = Record<string, unknown>;

interface Operation {
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: never) => Promise<unknown>;
}

/** The place of a field of a row. @param key the values that name the row */
export function sealedPlace(
  model: SealedModel,
  field: string,
  { tenantId, key }: { readonly tenantId: string; readonly key: readonly unknown[] },
): TenantPlace {
  const { table }: SealedTable = SEALED_TABLES[model];
  const row = key.length === 1 ? String(key[0]) : JSON.stringify(key);
  return { tenantId, table, field, row };
}

/**
 * The client as it seals what it writes into sealed columns and opens what it reads of them, in
 * transactions as well. What was erased is read as null beside a sealed value: `isErased`. SQL that
 * is written by hand sees the columns as they stand.
 */
export function sealing(client: PrismaClient, keys: DataKeys): PrismaClient {
  const query: Record<string, { $allOperations(operation: Operation): Promise<unknown> }> = {};
  for (const model of Object.keys(SEALED_TABLES) as SealedModel[]) {
    query[property(model)] = {
      async $allOperations({ operation, args, query: go }) {
        const sealed = await sealedArgs(keys, model, operation, args as Values);
        return opened(keys, model, await unlessErasing(() => go(sealed as never)));
      },
    };
  }
  for (const [model, relations] of Object.entries(NESTED)) {
    query[property(model)] = {
      async $allOperations({ args, query: go }) {
        const found = await go(args as never);
        await Promise.all(
          rowsOf(found).flatMap((row) =>
            Object.entries(relations).map(([name, inner]) => opened(keys, inner, row[name])),
          ),
        );
        return found;
      },
    };
  }
  const extension = Prisma.defineExtension({ name: 'sealed columns', query: query as never });
  return client.$extends(extension) as unknown as PrismaClient;
}

/**
 * What a statement does that seals, or seals a receipt.
 * @throws personal_data_key_changed where the key was erased meanwhile
 */
export async function unlessErasing<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (String(error).includes(NO_KEY)) fail('personal_data_key_changed', { retryAfterMs: 1_000 });
    throw error;
  }
}

/** What `require_data_key` raises. */
const NO_KEY = 'sealed under no data key in force';

/** True where a column of the row, or one of these fields, was sealed and erased. */
export function isErased(row: object, ...fields: readonly string[]): boolean {
  const values = row as Values;
  return fields.some((field) => {
    const sealed = values[`${field}Sealed`];
    return sealed !== null && sealed !== undefined && values[field] === null;
  });
}

const READS = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
]);
const CREATES = new Set(['create', 'createMany', 'createManyAndReturn']);

async function sealedArgs(
  keys: DataKeys,
  model: SealedModel,
  operation: string,
  args: Values = {},
): Promise<Values> {
  const { columns, key }: SealedTable = SEALED_TABLES[model];
  const fields = Object.keys(columns);
  const select = args.select as Values | undefined;
  const asked = select && fields.filter((field) => select[field]);
  const more = asked?.length ? [...asked.map((field) => `${field}Sealed`), ...key, 'tenantId'] : [];
  const selected = select && {
    select: { ...select, ...Object.fromEntries(more.map((name) => [name, true])) },
  };
  if (READS.has(operation)) return { ...args, ...selected };
  if (CREATES.has(operation)) {
    const rows = Array.isArray(args.data) ? (args.data as Values[]) : [args.data as Values];
    const sealed = await Promise.all(rows.map((row) => sealedData(keys, model, row, row)));
    return { ...args, ...selected, data: Array.isArray(args.data) ? sealed : sealed[0] };
  }
  const data = args.data as Values | undefined;
  const written = data ? fields.filter((field) => data[field] !== undefined) : [];
  if (written.length === 0) return { ...args, ...selected };
  if (operation !== 'update') throw new TypeError(`${operation} of ${model} cannot seal`);
  const where = namedBy(args.where as Values);
  return { ...args, ...selected, data: await sealedData(keys, model, data as Values, where) };
}

/** What a condition says of the one row that it names. */
function namedBy(where: Values): Values {
  const named: Values = {};
  for (const [name, value] of Object.entries(where)) {
    if (name === 'AND')
      for (const each of [value].flat()) Object.assign(named, namedBy(each as Values));
    else if (name.includes('_')) Object.assign(named, value);
    else named[name] = value;
  }
  return named;
}

async function sealedData(
  keys: DataKeys,
  model: SealedModel,
  data: Values,
  names: Values,
): Promise<Values> {
  const { columns, key, isText }: SealedTable = SEALED_TABLES[model];
  const sealed: Values = { ...data };
  for (const field of Object.keys(columns)) {
    const value = data[field];
    if (value === undefined) continue;
    const isNull = value === null || value === Prisma.DbNull || value === Prisma.JsonNull;
    sealed[field] = isText ? null : Prisma.DbNull;
    sealed[`${field}Sealed`] = null;
    if (isNull) continue;
    const row = key.map((name) => names[name]);
    const { tenantId } = names;
    if (typeof tenantId !== 'string' || row.some((part) => typeof part !== 'string')) {
      throw new TypeError(`a row of ${model} is not named, so ${field} cannot be sealed`);
    }
    const bytes = Buffer.from(isText ? String(value) : JSON.stringify(value), 'utf8');
    const place = sealedPlace(model, field, { tenantId, key: row });
    sealed[`${field}Sealed`] = new Uint8Array(await keys.seal(place, bytes));
  }
  return sealed;
}

function rowsOf(found: unknown): Values[] {
  if (Array.isArray(found)) return found as Values[];
  return typeof found === 'object' && found !== null ? [found as Values] : [];
}

async function opened<T>(keys: DataKeys, model: SealedModel, found: T): Promise<T> {
  const { columns, key, isText }: SealedTable = SEALED_TABLES[model];
  for (const row of rowsOf(found)) {
    for (const field of Object.keys(columns)) {
      const sealed = row[`${field}Sealed`];
      if (!(sealed instanceof Uint8Array)) continue;
      const names = { tenantId: String(row.tenantId), key: key.map((name) => row[name]) };
      const text = await openedText(keys, sealedPlace(model, field, names), sealed, isText);
      if (text === null) continue;
      row[field] = isText ? text : (JSON.parse(text) as unknown);
    }
  }
  return found;
}

/** Null for what was erased. What was tampered with is no text of a receipt: its hash says so. */
async function openedText(
  keys: DataKeys,
  place: TenantPlace,
  sealed: Uint8Array,
  isText = false,
): Promise<string | null> {
  try {
    const result = await keys.open(place, sealed);
    return result.kind === 'erased' ? null : result.bytes.toString('utf8');
  } catch (error) {
    if (isText && error instanceof SealError) return '';
    throw error;
  }
}

function property(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1);
}
