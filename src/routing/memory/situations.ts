import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Deployment, Registry } from '../../catalog/providers/model.js';
import type { Operation } from '../../catalog/providers/vocabulary.js';
import { situationText } from '../decision/sealed-decision.js';
import type { Situation } from '../decision/tables.js';
import type { OutcomeMemory, OutcomesOfTenant } from './outcome-memory.js';
import type { RoutingMemory } from './routing-memory.js';
import { routeModels } from './situation.js';
import type { RoutingState } from './state.js';
import { DEFAULT_USE, inForce, isLaidDown } from './terms.js';
import type { UsageMemory, UsageOfTenant } from './usage-memory.js';

/** A situation in which decisions are made, and how it is found again. */
export interface KnownSituation {
  readonly situation: Situation;
  /** What the usage rows of its decisions name, as hexadecimal digits. */
  readonly sha256: string;
  /** The model that answers at present; null where none has yet. */
  incumbent: string | null;
  /** Resolves when it is stored; a decision is told to nobody before. */
  readonly stored: Promise<void>;
  /** True once it is stored, so that nobody needs to wait. */
  isStored: boolean;
}

/** A situation as it is at this moment. */
type UnstoredSituation = Pick<KnownSituation, 'situation' | 'incumbent'>;

/** Which situation is asked for. */
export interface SituationQuestion {
  readonly tenantId: string;
  readonly operation: Operation;
  readonly useCase: string;
  /** A route policy that is named; undefined for what holds for the use case. */
  readonly policyKey: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** What situations are made from. */
export interface SituationParts {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly routing: RoutingMemory;
  readonly outcomes: OutcomeMemory;
  readonly usage: UsageMemory;
  readonly healthy: (deployment: Deployment) => boolean;
  /** The keys of the deployments that are not called by what they did; mostly none. */
  readonly shut: () => readonly string[];
}

/** A situation with what it was made from: while none of it is another, it holds. */
interface Made {
  readonly known: KnownSituation | undefined;
  readonly state: RoutingState;
  readonly outcomes: OutcomesOfTenant;
  readonly usage: UsageOfTenant;
  readonly models: Registry['models'];
  readonly day: string;
  /** The keys of those that were shut, one after the other. */
  readonly shut: string;
}

/** What clients have reported of models, and what usage shows. */
type Evidence = Pick<Made, 'outcomes' | 'usage'>;

const STORE_SQL = {
  name: 'store_routing_situation',
  text: `INSERT INTO routing_situation (tenant_id, sha256, content)
         VALUES ($1, decode($2, 'hex'), $3) ON CONFLICT DO NOTHING`,
};

const SITUATIONS_MAX = 1_000;

/**
 * The situations of tenants, made again only when something in them has changed: terms, kill
 * switch, scorecards, outcomes, prices, models or the health of a deployment.
 */
export class Situations {
  private readonly made = new LRUCache<string, Made>({ max: SITUATIONS_MAX });

  constructor(private readonly parts: SituationParts) {}

  /**
   * The situation as it is now. It is there at once where the tenant's state is in memory. A use
   * case of which nothing is laid down or reported has that of `default`.
   * @returns undefined for a route policy that nobody has published
   */
  now(
    question: SituationQuestion,
  ): KnownSituation | undefined | Promise<KnownSituation | undefined> {
    const { tenantId } = question;
    const state = this.parts.routing.forTenant(tenantId);
    const outcomes = this.parts.outcomes.forTenant(tenantId);
    const usage = this.parts.usage.forTenant(tenantId);
    if (state instanceof Promise || outcomes instanceof Promise || usage instanceof Promise) {
      return Promise.all([state, outcomes, usage]).then(([known, reported, used]) =>
        this.from(question, known, { outcomes: reported, usage: used }),
      );
    }
    return this.from(question, state, { outcomes, usage });
  }

  /**
   * The same for one who seals the situation himself, or keeps nothing: it is not stored, and its
   * terms and kill switch are read anew.
   * @returns undefined for a route policy that nobody has published
   */
  async unstored(question: SituationQuestion): Promise<UnstoredSituation | undefined> {
    const { tenantId } = question;
    const { routing, outcomes, usage } = this.parts;
    const [state, reported, used] = await Promise.all([
      routing.current(tenantId),
      outcomes.forTenant(tenantId),
      usage.forTenant(tenantId),
    ]);
    return this.make(shared(question, state, reported), state, { outcomes: reported, usage: used });
  }

  private from(
    asked: SituationQuestion,
    state: RoutingState,
    evidence: Evidence,
  ): KnownSituation | undefined {
    const { outcomes, usage } = evidence;
    const question = shared(asked, state, outcomes);
    const { tenantId, operation, useCase, policyKey = '', day } = question;
    const { models } = this.parts.registry;
    const key = JSON.stringify([tenantId, operation, useCase, policyKey]);
    const shut = this.shutOf(operation);
    const before = this.made.get(key);
    if (
      before?.state === state &&
      before.outcomes === outcomes &&
      before.usage === usage &&
      before.models === models &&
      before.day === day &&
      before.shut === shut
    ) {
      return before.known;
    }
    const made = this.make(question, state, evidence);
    // Where nothing in it is different the stored one goes on.
    const known = made && before?.known?.sha256 === made.sha256 ? before.known : made?.store();
    if (known && made) known.incumbent = made.incumbent;
    this.made.set(key, { known, state, outcomes, usage, models, day, shut });
    known?.stored.catch(() => this.made.delete(key));
    return known;
  }

  /** Those whose health the breaker decides, of this operation: others make nothing anew. */
  private shutOf(operation: Operation): string {
    const { registry, shut } = this.parts;
    let keys = '';
    for (const key of shut()) {
      const deployment = registry.deploymentsByKey.get(key);
      const isAsked = deployment?.operation === operation;
      if (isAsked && deployment.health.override === 'auto') keys += `${key}\n`;
    }
    return keys;
  }

  private make(
    { tenantId, operation, useCase, policyKey, day }: SituationQuestion,
    state: RoutingState,
    evidence: Evidence,
  ) {
    const { registry, healthy, pool } = this.parts;
    const found = inForce(state, useCase, policyKey);
    if (!found) return undefined;
    const { terms, killSwitch, incumbent } = found;
    const models = routeModels({ registry, state, ...evidence, operation, useCase, day, healthy });
    const situation: Situation = { useCase, terms, killSwitch, models, ties: 'RUSSIA_FIRST' };
    const content = situationText(situation);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const store = (): KnownSituation => {
      const values = [tenantId, sha256, content];
      const known: KnownSituation = {
        situation,
        sha256,
        incumbent,
        isStored: false,
        stored: pool.query({ ...STORE_SQL, values }).then(() => {
          known.isStored = true;
        }),
      };
      return known;
    };
    return { situation, sha256, incumbent, store };
  }
}

/**
 * The question that is answered in place of one about a use case of which nothing is laid down or
 * reported: clients may name as many as they like.
 */
function shared(
  question: SituationQuestion,
  state: RoutingState,
  outcomes: OutcomesOfTenant,
): SituationQuestion {
  if (isLaidDown(question.useCase, state, outcomes)) return question;
  return { ...question, useCase: DEFAULT_USE };
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly situations: Situations;
  }
}
