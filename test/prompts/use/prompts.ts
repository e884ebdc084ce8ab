import type { DataClass } from '../../../src/kernel/firewall/vocabulary.js';
import { newId } from '../../../src/kernel/ids.js';
import { contentHashOf, readContent } from '../../../src/prompts/packages/content.rules.js';
import type { Customer, TestApp } from '../../support/app.js';
import { stated } from '../packages/stated.js';

/** A version as tests state it; what is left out is empty. */
export interface StatedVersion {
  readonly template: string;
  readonly variables?: readonly (string | object)[];
  readonly outputSchema?: unknown;
  readonly modelVariants?: readonly (string | object)[];
  readonly dataClassMin?: DataClass;
  readonly status?: 'draft' | 'review' | 'staging' | 'production' | 'deprecated';
  readonly supersededBy?: number;
}

let keys = 0;

/** A key that no prompt has yet. */
export function freshPromptKey(): string {
  keys += 1;
  return `support.reply_${process.pid}_${keys}`;
}

/**
 * A package written straight into the tables, so that a version stands where a test needs it. The
 * last version is the current one. @returns its id
 */
export async function writePrompt(
  app: TestApp,
  customer: Customer,
  promptKey: string,
  ...versions: readonly StatedVersion[]
): Promise<string> {
  const { pool } = app.owner;
  const id = newId('Prompt');
  const { tenantId, userId } = customer;
  await pool.query(
    `INSERT INTO prompt (id, tenant_id, prompt_key, status, created_by)
     VALUES ($1, $2, $3, 'draft', $4)`,
    [id, tenantId, promptKey, userId],
  );
  for (const version of versions) await writeVersion(app, customer, id, version);
  return id;
}

/** The next version of a package; it becomes the current one. @returns its number */
export async function writeVersion(
  app: TestApp,
  { tenantId, userId }: Customer,
  promptId: string,
  { status, supersededBy, ...written }: StatedVersion,
): Promise<number> {
  const { pool } = app.owner;
  const { value, faults } = readContent(stated(written));
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  const { rows } = await pool.query<{ version: number }>(
    'SELECT count(*)::int + 1 AS version FROM prompt_version WHERE prompt_id = $1',
    [promptId],
  );
  const version = rows[0]?.version ?? 1;
  await pool.query(
    `INSERT INTO prompt_version (id, tenant_id, prompt_id, version, template, variables,
       output_schema, model_variants, samples, content_hash, created_by, data_class_min)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      newId('PromptVersion'),
      tenantId,
      promptId,
      version,
      value.template,
      JSON.stringify(value.variables),
      value.outputSchema && JSON.stringify(value.outputSchema),
      JSON.stringify(value.modelVariants),
      JSON.stringify(value.samples),
      contentHashOf(value),
      userId,
      value.dataClassMin,
    ],
  );
  await pool.query(
    `INSERT INTO prompt_stage (prompt_id, version, tenant_id, status, superseded_by)
     VALUES ($1, $2, $3, $4, $5)`,
    [promptId, version, tenantId, status ?? 'draft', supersededBy ?? null],
  );
  await makeCurrent(app, promptId, version);
  return version;
}

async function makeCurrent(app: TestApp, promptId: string, version: number): Promise<void> {
  const { pool } = app.owner;
  await pool.query('UPDATE prompt SET current_version = $2 WHERE id = $1', [promptId, version]);
}
