import type { Pool } from 'pg';
import type { DataClass } from '../kernel/firewall/vocabulary.js';
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
  /** The least class that the data of requests has; null where the version states none. */
  readonly dataClassMin: DataClass | null;
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
  text: `SELECT p.id AS "promptId", p.prompt_key AS "promptKey", v.version, v.template,
                v.variables, v.output_schema AS "outputSchema", v.model_variants AS "modelVariants",
                v.data_class_min AS "dataClassMin",
                encode(v.content_hash, 'hex') AS "contentHash",
                s.status, s.superseded_by IS NOT NULL AS superseded
         FROM prompt p
         LEFT JOIN prompt_stage s ON s.prompt_id = p.id AND CASE
           WHEN $3::int IS NULL THEN s.version = p.current_version AND s.status = 'production'
           ELSE s.version = $3::int END
         LEFT JOIN prompt_version v ON v.prompt_id = s.prompt_id AND v.version = s.version
         WHERE p.tenant_id = $1 AND p.prompt_key = $2`,
};

/** The version is null, with all that follows from it, where the package has no such one. */
type PromptRow = PromptInUse | { readonly version: null };

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
    const [row] = rows;
    if (!row) return { kind: 'unknown' };
    return row.version === null ? { kind: 'no_version' } : { kind: 'found', prompt: row };
  }
}
