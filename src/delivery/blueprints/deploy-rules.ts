import type { EffectivePolicy } from '../../access/policies/rules.js';
import { HYBRID_MODES } from '../../access/policies/vocabulary.js';
import type { ToolContract } from '../../actions/tools/contract.js';
import { FIREWALL_MODES } from '../../kernel/firewall/vocabulary.js';
import { formatRub } from '../../kernel/money.js';
import { DEPLOY_CHECKS, type DeployCheck } from './deploy-vocabulary.js';
import type { LintFinding } from './lint.js';
import type { Manifest } from './manifest.js';
import type { DeployDecision } from './vocabulary.js';

/** What the rows of the tenant show at the moment of a deployment. */
export interface DeployFacts {
  readonly manifest: Manifest;
  readonly projectId: string;
  readonly findings: readonly LintFinding[];
  /** The last completed run of this manifest, by its hash. */
  readonly completedRunId: string | undefined;
  /** Keys of the project that are in force. */
  readonly keys: readonly { readonly keyType: string; readonly name: string }[];
  readonly policy: EffectivePolicy;
  /** The policy whose allow-list bounds the models; undefined where none has one. */
  readonly allowListId: string | undefined;
  /** Models that the policies leave for the two needs of the manifest. */
  readonly primaryModels: readonly string[];
  readonly fallbackModels: readonly string[];
  readonly availableMicro: bigint;
  readonly tools: readonly ToolContract[];
}

/** A check as it came out. */
export interface DeployTest {
  readonly code: DeployCheck;
  readonly description: string;
  readonly passed: boolean;
  readonly evidence: string;
}

/** What is missing, and the call that mends it. */
export interface MissingItem {
  readonly code: DeployCheck;
  readonly missing: string;
  readonly method: string;
  readonly path: string;
  /** The body of the call as JSON; absent for calls without one. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What was decided, and why. */
export interface DeployVerdict {
  readonly decision: DeployDecision;
  /** The sum of the weights of the checks that passed, 0 to 100. */
  readonly readinessPercent: number;
  readonly tests: readonly DeployTest[];
  readonly missingItems: readonly MissingItem[];
}

/** Judges a deployment: `deployed` where every check passes. Pure and deterministic. */
export function judgeDeployment(facts: DeployFacts): DeployVerdict {
  const judged = DEPLOY_CHECKS.map((check) => {
    const { evidence, lacks = [] } = JUDGES[check.code](facts);
    return { ...check, evidence, lacks, passed: lacks.length === 0 };
  });
  return {
    decision: judged.every(({ passed }) => passed) ? 'deployed' : 'blocked',
    readinessPercent: judged.reduce((sum, { passed, weight }) => sum + (passed ? weight : 0), 0),
    tests: judged.map(({ code, description, passed, evidence }) => ({
      code,
      description,
      passed,
      evidence,
    })),
    missingItems: judged.flatMap(({ code, lacks }) => lacks.map((lack) => ({ code, ...lack }))),
  };
}

type Lack = Omit<MissingItem, 'code'>;

interface Judged {
  readonly evidence: string;
  /** Nothing lacks where the check passes. */
  readonly lacks?: readonly Lack[];
}

const JUDGES: Readonly<Record<DeployCheck, (facts: DeployFacts) => Judged>> = {
  manifest_lint: ({ manifest, findings }) => {
    const errors = findings.filter(({ level }) => level === 'error').map(({ rule }) => rule);
    const lack = {
      missing: `A manifest without errors: ${errors.join(', ')}`,
      method: 'GET',
      path: `/v1/gw/blueprints/${manifest.id}`,
      body: {},
    };
    return errors.length === 0
      ? { evidence: 'no error' }
      : { evidence: errors.join(', '), lacks: [lack] };
  },
  sandbox_run: ({ manifest, completedRunId }) => {
    if (completedRunId) return { evidence: `run ${completedRunId}` };
    const lack = {
      missing: 'A completed sandbox run of this manifest',
      method: 'POST',
      path: `/v1/gw/blueprints/${manifest.id}/run`,
      body: {},
    };
    return { evidence: 'no completed run of this manifest', lacks: [lack] };
  },
  key: ({ keys, projectId }) => {
    const fitting = keys.filter(({ keyType }) => keyType === 'service' || keyType === 'standard');
    if (fitting[0]) return { evidence: `${fitting.length} of type service or standard` };
    const lack = {
      missing: 'A service key of the project',
      method: 'POST',
      path: '/api-keys',
      body: { keyType: 'service', name: 'blueprint', project_id: projectId },
    };
    return { evidence: `${keys.length} keys in force, none of them fits`, lacks: [lack] };
  },
  budget: ({ manifest, policy, projectId }) => {
    if (policy.budgetIds.length > 0) return { evidence: `${policy.budgetIds.length} budgets` };
    const { monthly_rub } = manifest.policies.budget;
    const budgets = { budgets: { monthly_rub } };
    return {
      evidence: 'no enabled policy of the project has a budget',
      lacks: [{ missing: 'A budget', ...newPolicy(manifest, projectId, budgets) }],
    };
  },
  firewall: ({ manifest, policy, projectId }) => {
    const wanted = Object.entries(manifest.policies.firewall);
    const mild = wanted.filter(
      ([code, mode]) => rankOf(FIREWALL_MODES, modeIn(policy, code)) < rankOf(FIREWALL_MODES, mode),
    );
    const evidence = wanted.map(([code]) => `${code}: ${modeIn(policy, code)}`).join(', ');
    if (mild.length === 0) return { evidence };
    const firewall = Object.fromEntries(mild);
    const missing = `Stricter modes: ${mild.map(([code, mode]) => `${code} ${mode}`).join(', ')}`;
    return { evidence, lacks: [{ missing, ...newPolicy(manifest, projectId, { firewall }) }] };
  },
  data_route: ({ manifest, policy, projectId }) => {
    const { hybrid } = manifest.policies;
    const evidence = `the policies say ${policy.hybrid}, the manifest ${hybrid}`;
    if (rankOf(HYBRID_MODES, policy.hybrid) <= rankOf(HYBRID_MODES, hybrid)) return { evidence };
    const missing = `Data routes no wider than ${hybrid}`;
    return { evidence, lacks: [{ missing, ...newPolicy(manifest, projectId, { hybrid }) }] };
  },
  models: judgeModels,
  balance: ({ availableMicro }) => {
    const evidence = `${formatRub(availableMicro)} RUB available`;
    if (availableMicro > 0n) return { evidence };
    const top = { method: 'POST', path: '/billing/top-up/manual', body: { amount_rub: 500 } };
    return { evidence, lacks: [{ missing: 'Funds', ...top }] };
  },
  tools: ({ manifest, tools }) => judgeTools(manifest, tools),
};

function judgeModels({
  primaryModels,
  fallbackModels,
  allowListId,
  manifest,
}: DeployFacts): Judged {
  const [first] = primaryModels;
  const other = fallbackModels.find((id) => id !== first);
  const evidence = `primary ${first ?? 'none'}, fallback ${other ?? 'none'}`;
  if (first !== undefined && (other !== undefined || !manifest.models.fallback)) {
    return { evidence };
  }
  const needed = manifest.models.primary.capabilities.join(', ');
  const missing = `A model with ${needed}, and another one for the fallback`;
  const call =
    allowListId === undefined
      ? { method: 'GET', path: '/v1/models', body: {} }
      : {
          method: 'PATCH',
          path: `/v1/gw/policies/${allowListId}`,
          body: { allowed_models: null },
        };
  return { evidence, lacks: [{ missing, ...call }] };
}

function judgeTools({ tools: wanted }: Manifest, registered: readonly ToolContract[]): Judged {
  if (wanted.length === 0) return { evidence: 'the manifest needs none' };
  const lacks = wanted.flatMap(({ tool_key: key, verbs }): Lack[] => {
    const has = registered.find(({ toolKey }) => toolKey === key)?.verbs.map(({ verb }) => verb);
    const missing = verbs.filter((verb) => !has?.includes(verb));
    if (missing.length === 0) return [];
    const all = [...new Set([...(has ?? []), ...verbs])];
    const body = { tool_key: key, verbs: all, connector: 'simulated' };
    const call = { method: 'POST', path: '/v1/gw/tools/register', body };
    return [{ missing: `The tool ${key} with ${missing.join(', ')}`, ...call }];
  });
  const registeredCount = wanted.length - lacks.length;
  return { evidence: `${registeredCount} of ${wanted.length} registered`, lacks };
}

function newPolicy({ id }: Manifest, projectId: string, part: Readonly<Record<string, unknown>>) {
  const body = { name: id, project_id: projectId, ...part };
  return { method: 'POST', path: '/v1/gw/policies', body };
}

function modeIn({ firewall }: EffectivePolicy, code: string): string {
  return (firewall as Readonly<Record<string, string>>)[code] ?? 'off';
}

/** The place of a code in a published list that is ordered. */
function rankOf(rows: readonly { readonly code: string }[], code: string): number {
  return rows.findIndex((row) => row.code === code);
}
