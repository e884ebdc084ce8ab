import type pg from 'pg';
import { checkFully } from '../../src/money/books/full.js';
import { DataKeys } from '../../src/platform/data-keys.js';
import {
  SEALED_TABLES,
  type SealedModel,
  type SealedTable,
  sealedPlace,
} from '../../src/platform/database/sealed-columns.js';
import { type GivenSecrets, Keyring } from '../../src/platform/keyring.js';
import { type Customer, graphql } from '../support/app.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import type { SealedWrite } from './sealed-writes.js';

/** All that is sealed, read past the gateway. */
export interface SealedRows {
  /** What can be opened, one line for each value, with its organization and table. */
  readonly readable: readonly ReadableValue[];
  /** How many values were erased. */
  readonly erased: number;
  /** What is neither readable nor erased, and what is half sealed. */
  readonly faults: readonly string[];
}

interface ReadableValue {
  readonly tenantId: string;
  readonly table: string;
  readonly text: string;
}

interface Row {
  readonly tenant: string;
  readonly key: readonly string[];
  readonly open: string | null;
  readonly sealed: Buffer | null;
}

/** The secret of gateways in processes of their own. */
const SECRET = 'a secret for tests that is long enough';

const NEVER_NULL: Readonly<Record<string, readonly string[]>> = {
  ToolCall: ['arguments'],
  IntegrationRecord: ['state'],
  IntegrationPreview: ['input', 'proposedChanges'],
  IntegrationAction: ['changedFields'],
  Approval: ['shown'],
  PromptVersion: ['samples'],
  SealedReceipt: ['content'],
};

/** Opens every sealed value of a database by the secrets. */
export async function readSealedRows(
  pool: pg.Pool,
  secrets: GivenSecrets = { secret: SECRET },
): Promise<SealedRows> {
  const keys = new DataKeys(pool, new Keyring(secrets));
  const readable: ReadableValue[] = [];
  const faults: string[] = [];
  let erased = 0;
  for (const [model, table] of Object.entries(SEALED_TABLES) as [SealedModel, SealedTable][]) {
    const read = (tenantId: string, text: string) =>
      readable.push({ tenantId, table: table.table, text });
    for (const [field, column] of Object.entries(table.columns)) {
      for (const { tenant: tenantId, key, open, sealed } of await rowsOf(pool, table, column)) {
        const name = `${table.table}.${column} of ${key}`;
        if (open !== null && sealed !== null) faults.push(`${name} is half sealed`);
        if (open !== null) read(tenantId, open);
        if (open === null && sealed === null && NEVER_NULL[model]?.includes(field))
          faults.push(`${name} is lost`);
        if (sealed === null) continue;
        try {
          const opened = await keys.open(sealedPlace(model, field, { tenantId, key }), sealed);
          if (opened.kind === 'erased') erased += 1;
          else read(tenantId, textOf(opened.bytes, table));
        } catch (error) {
          faults.push(`${name}: ${String(error)}`);
        }
      }
    }
  }
  return { readable, erased, faults };
}

/** The text as it was written, which for JSON has to be whole. */
function textOf(bytes: Buffer, { isText }: SealedTable): string {
  const text = bytes.toString('utf8');
  return isText ? text : JSON.stringify(JSON.parse(text));
}

async function rowsOf(
  pool: pg.Pool,
  { table, key, which = 'true' }: SealedTable,
  column: string,
): Promise<Row[]> {
  const names = key.map((each) => each.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const { rows } = await pool.query<Row>(
    `SELECT tenant_id AS tenant, ARRAY[${names.map((each) => `${each}::text`).join(', ')}] AS key,
            ${column}::text AS open, ${column}_sealed AS sealed
     FROM ${table} WHERE ${which}`,
  );
  return rows;
}

/** What is wrong after a fault: rows, what was answered and is not there, chain and books. */
export async function faultsOfSealing(
  pool: pg.Pool,
  gateway: Pick<GatewayProcess, 'url'>,
  { tenantId, token: credential }: Customer,
  written: readonly SealedWrite[],
  secrets?: GivenSecrets,
): Promise<string[]> {
  const { readable, faults } = await readSealedRows(pool, secrets);
  const own = readable.filter((each) => each.tenantId === tenantId).map(({ text }) => text);
  const all = own.join('\n');
  const lost = written.filter(({ isDone, mark }) => isDone && !all.includes(mark));
  const chain = await graphql<{ receiptChain: { valid: boolean } } | null>(
    gateway,
    '{ receiptChain { valid faults { position } } }',
    {},
    credential,
  );
  const books = await checkFully(pool);
  return [
    ...faults,
    ...lost.map(({ kind, mark }) => `${kind} ${mark} was answered and is lost`),
    ...(chain.data?.receiptChain.valid ? [] : [`the chain: ${JSON.stringify(chain)}`]),
    ...books.map(({ invariant, subject, detail }) => `${invariant} ${subject} ${detail}`),
  ];
}
