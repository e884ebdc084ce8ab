import type { EffectivePolicy } from '../../access/policies/rules.js';
import { HYBRID_MODES } from '../../access/policies/vocabulary.js';
import type { ToolContract } from '../../actions/tools/contract.js';
import type { BlueprintRun } from '../../generated/prisma/client.js';
import { FIREWALL_MODES } from '../../kernel/firewall/vocabulary.js';
import { formatRub } from '../../kernel/money.js';
import type { GoldenCases } from './golden.rules.js';
import type { Manifest } from './manifest.js';
import type { DeployVerdict, LintFinding, MissingItem } from './tables.js';
import { DEPLOY_CHECKS, type DeployCheck } from './vocabulary.js';

/** What the rows of the tenant show at the moment of a deployment. */
export interface DeployFacts {
  readonly manifest: Manifest;
  readonly projectId: string;
  readonly findings: readonly LintFinding[];
  /**
   * The last completed run of this manifest, by its hash, in the project: one that is achieved and
   * proved before any other.
   */
  readonly run: RunGround | undefined;
  /** How the golden cases of the manifest end. */
  readonly goldenCases: GoldenCases;
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

/** What a recorded run says of its result. */
export type RunGround = Pick<
  BlueprintRun,
  'id' | 'proof' | 'achieved' | 'simulated' | 'checksFailed'
>;

/** Judges a deployment: `deployed` where every check passes. Pure and deterministic. */
export function judgeDeployment(facts: DeployFacts): DeployVerdict {
  const judged = DEPLOY_CHECKS.rows.map((check) => {
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

/** What a project must have before personal data may go to a model that is not simulated. */
export type PolicyFacts = Pick<DeployFacts, 'manifest' | 'projectId' | 'policy'>;

/** What the policies of a project leave open that the manifest wants closed, in sentences. */
export function policyLacks(facts: PolicyFacts): string[] {
  const judged = [judgeFirewall(facts), judgeDataRoute(facts)];
  return judged.flatMap(({ lacks = [] }) => lacks.map(({ missing }) => missing));
}

type Lack = Omit<MissingItem, 'code'>;
type Call = Omit<Lack, 'missing'>;

interface Judged {
  readonly evidence: string;
  /** Nothing lacks where the check passes. */
  readonly lacks?: readonly Lack[];
}

/** A check that failed for one thing, which one call mends. */
function lacking(evidence: string, missing: string, call: Call): Judged {
  return { evidence, lacks: [{ missing, ...call }] };
}

const JUDGES: Readonly<Record<DeployCheck, (facts: DeployFacts) => Judged>> = {
  manifest_lint: ({ manifest, findings }) => {
    const errors = findings.filter(({ level }) => level === 'error').map(({ rule }) => rule);
    if (errors.length === 0) return { evidence: 'no error' };
    const named = errors.join(', ');
    const call = { method: 'GET', path: `/v1/gw/blueprints/${manifest.id}`, body: {} };
    return lacking(named, `A manifest without errors: ${named}`, call);
  },
  sandbox_run: judgeRun,
  key: ({ keys, projectId }) => {
    const fitting = keys.filter(({ keyType }) => keyType === 'service' || keyType === 'standard');
    if (fitting[0]) return { evidence: `${fitting.length} of type service or standard` };
    const body = { keyType: 'service', name: 'blueprint', project_id: projectId };
    const evidence = `${keys.length} keys in force, none of them fits`;
    return lacking(evidence, 'A service key of the project', post('/api-keys', body));
  },
  budget: (facts) => {
    const { budgetIds } = facts.policy;
    if (budgetIds.length > 0) return { evidence: `${budgetIds.length} budgets` };
    const { monthly_rub } = facts.manifest.policies.budget;
    const evidence = 'no enabled policy of the project has a budget';
    return lacking(evidence, 'A budget', newPolicy(facts, { budgets: { monthly_rub } }));
  },
  firewall: judgeFirewall,
  data_route: judgeDataRoute,
  models: judgeModels,
  balance: ({ availableMicro }) => {
    const evidence = `${formatRub(availableMicro)} RUB available`;
    if (availableMicro > 0n) return { evidence };
    return lacking(evidence, 'Funds', post('/billing/top-up/manual', { amount_rub: 500 }));
  },
  tools: ({ manifest, tools }) => judgeTools(manifest, tools),
};

/**
 * A run shows that the blueprint works where its result is achieved and proved. What a simulated
 * one answers shows nothing of that; then the golden cases of the manifest say whether its checks
 * do.
 */
function judgeRun({ manifest, run, goldenCases }: DeployFacts): Judged {
  const call = post(`/v1/gw/blueprints/${manifest.id}/run`, {});
  if (!run) {
    const evidence = 'no completed run of this manifest in the project';
    const missing =
      'A completed run of this manifest in the project, such as one of its keys makes';
    return lacking(evidence, missing, call);
  }
  if (run.achieved && run.proof === 'proved') {
    return { evidence: `run ${run.id}: achieved and proved` };
  }
  const { good, isChecked, failed } = goldenCases;
  if (run.simulated) {
    const evidence = `run ${run.id}: simulated, which proves nothing; golden cases: ${good}`;
    if (isChecked) return { evidence };
    const named = failed.length === 0 ? 'no bad one is among them' : `failed ${failed.join(', ')}`;
    return lacking(evidence, `A proved run, or golden cases that hold: ${named}`, call);
  }
  const { checksFailed } = run;
  const why = checksFailed.length === 0 ? 'not achieved' : `failed ${checksFailed.join(', ')}`;
  const evidence = `run ${run.id}: ${run.proof ?? 'not_proved'}, ${why}`;
  return lacking(evidence, `A run that is achieved and proved: ${why}`, call);
}

function judgeFirewall(facts: PolicyFacts): Judged {
  const { manifest, policy } = facts;
  const wanted = Object.entries(manifest.policies.firewall);
  const mild = wanted.filter(
    ([code, mode]) => rankOf(FIREWALL_MODES, modeIn(policy, code)) < rankOf(FIREWALL_MODES, mode),
  );
  const evidence = wanted.map(([code]) => `${code}: ${modeIn(policy, code)}`).join(', ');
  if (mild.length === 0) return { evidence };
  const missing = `Stricter modes: ${mild.map(([code, mode]) => `${code} ${mode}`).join(', ')}`;
  return lacking(evidence, missing, newPolicy(facts, { firewall: Object.fromEntries(mild) }));
}

function judgeDataRoute(facts: PolicyFacts): Judged {
  const { hybrid } = facts.manifest.policies;
  const { hybrid: open } = facts.policy;
  const evidence = `the policies say ${open}, the manifest ${hybrid}`;
  if (rankOf(HYBRID_MODES, open) <= rankOf(HYBRID_MODES, hybrid)) return { evidence };
  return lacking(evidence, `Data routes no wider than ${hybrid}`, newPolicy(facts, { hybrid }));
}

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
  const path = `/v1/gw/policies/${allowListId}`;
  const call =
    allowListId === undefined
      ? { method: 'GET', path: '/v1/models', body: {} }
      : { method: 'PATCH', path, body: { allowed_models: null } };
  return lacking(evidence, missing, call);
}

function judgeTools({ tools: wanted }: Manifest, registered: readonly ToolContract[]): Judged {
  if (wanted.length === 0) return { evidence: 'the manifest needs none' };
  const lacks = wanted.flatMap(({ tool_key: key, verbs }): Lack[] => {
    const has = registered.find(({ toolKey }) => toolKey === key)?.verbs ?? [];
    const missing = verbs.filter((wanted) => !has.some(({ verb }) => verb === wanted));
    if (missing.length === 0) return [];
    // A verb that the tool declares is nothing without its risk.
    const kept = has.map(({ verb, origin, risk, readOnly }) =>
      origin === 'declared' ? { verb, risk, read_only: readOnly } : verb,
    );
    const all = [...kept, ...missing];
    const body = { tool_key: key, verbs: all, connector: 'simulated' };
    const call = post('/v1/gw/tools/register', body);
    return [{ missing: `The tool ${key} with ${missing.join(', ')}`, ...call }];
  });
  const registeredCount = wanted.length - lacks.length;
  return { evidence: `${registeredCount} of ${wanted.length} registered`, lacks };
}

type Part = Readonly<Record<string, unknown>>;

function post(path: string, body: Part): Call {
  return { method: 'POST', path, body };
}

function newPolicy({ manifest, projectId }: PolicyFacts, part: Part): Call {
  return post('/v1/gw/policies', { name: manifest.id, project_id: projectId, ...part });
}

function modeIn({ firewall }: EffectivePolicy, code: string): string {
  return (firewall as Readonly<Record<string, string>>)[code] ?? 'off';
}

/** The place of a code in a published list that is ordered. */
function rankOf(rows: readonly { readonly code: string }[], code: string): number {
  return rows.findIndex((row) => row.code === code);
}
