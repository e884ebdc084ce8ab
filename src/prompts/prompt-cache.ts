import type { Pool } from 'pg';
import type { JsonObject } from '../kernel/json.js';
import type { Listener } from '../platform/database/listen.js';
import { TenantMemory } from '../platform/tenant-memory.js';
import type { ModelVariant, PromptStatus, PromptVariable } from './packages/vocabulary.js';

declare module '../graph/ctx.js' {
  interface Services {
    readonly prompts: PromptCache;
  }
}

/** A version of a prompt, as a chat request uses it. */
export interface PromptInUse {
  readonly promptId: string;
  readonly promptKey: string;
  readonly version: number;
  readonly status: PromptStatus;
  /** True where a later version took its place in production. */
  readonly superseded: boolean;
  readonly template: string;
  readonly variables: readonly PromptVariable[];
  readonly outputSchema: JsonObject | null;
  readonly modelVariants: readonly ModelVariant[];
  /** 64 hexadecimal digits. */
  readonly contentHash: string;
}

/** What a key leads to: nothing, a package without such a version, or the version. */
export type FoundPrompt =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'no_version' }
  | { readonly kind: 'found'; readonly prompt: PromptInUse };

/** Without a number: the current version, if it stands in production. */
const PROMPT_SQL = {
  name: 'prompt_of_key',
  text: `SELECT p.id, p.prompt_key, v.version, v.template, v.variables, v.output_schema,
                v.model_variants, encode(v.content_hash, 'hex') AS content_hash,
                s.status, s.superseded_by IS NOT NULL AS superseded
         FROM prompt p
         LEFT JOIN prompt_stage s ON s.prompt_id = p.id AND CASE
           WHEN $3::int IS NULL THEN s.version = p.current_version AND s.status = 'production'
           ELSE s.version = $3::int END
         LEFT JOIN prompt_version v ON v.prompt_id = s.prompt_id AND v.version = s.version
         WHERE p.tenant_id = $1 AND p.prompt_key = $2`,
};

interface PromptRow {
  readonly id: string;
  readonly prompt_key: string;
  /** Null with all that follows, where the package has no such version. */
  readonly version: number | null;
  readonly template: string;
  readonly variables: readonly PromptVariable[];
  readonly output_schema: JsonObject | null;
  readonly model_variants: readonly ModelVariant[];
  readonly content_hash: string;
  readonly status: PromptStatus;
  readonly superseded: boolean;
}

/** The prompts that chat requests use, in memory by tenant, key and version. */
export class PromptCache {
  private readonly memory = new TenantMemory<FoundPrompt>();

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What a key of a tenant leads to now; without a version, what is in production. */
  find(
    tenantId: string,
    promptKey: string,
    version: number | undefined,
  ): FoundPrompt | Promise<FoundPrompt> {
    const key = `${tenantId} ${version ?? ''} ${promptKey}`;
    return (
      this.memory.known(key) ??
      this.memory.read(
        key,
        () => this.load(tenantId, promptKey, version),
        (value) => (value.kind === 'found' ? { tenantId, value } : undefined),
      )
    );
  }

  /** Drops what is known of a tenant. Whoever changes a prompt calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  private async load(
    tenantId: string,
    promptKey: string,
    version: number | undefined,
  ): Promise<FoundPrompt> {
    const values = [tenantId, promptKey, version ?? null];
    const { rows } = await this.pool.query<PromptRow>({ ...PROMPT_SQL, values });
    const row = rows[0];
    if (!row) return { kind: 'unknown' };
    if (row.version === null) return { kind: 'no_version' };
    return {
      kind: 'found',
      prompt: {
        promptId: row.id,
        promptKey: row.prompt_key,
        version: row.version,
        status: row.status,
        superseded: row.superseded,
        template: row.template,
        variables: row.variables,
        outputSchema: row.output_schema,
        modelVariants: row.model_variants,
        contentHash: row.content_hash,
      },
    };
  }
}
