import { CLASSES_OF_DATA } from '../../../access/policies/tables.js';
import { LADDER } from '../../../finops/unit-economics/vocabulary.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  json,
  list,
  money,
  number,
  object,
  text,
} from '../../../kernel/fields/field.js';
import { DATA_CLASS_SOURCES } from '../../../kernel/firewall/data-class.rules.js';
import {
  COMPLEXITIES,
  KILL_SWITCH_STATES,
  ROUTE_REJECTIONS,
  ROUTING_MODES,
  ROUTING_STAGES,
  ROUTING_VERDICTS,
  TERMS_ORIGINS,
  TIE_ORDERS,
} from '../../../routing/decision/vocabulary.js';
import {
  CONTRACT_PARTS,
  CONTRACT_REASONS,
} from '../../../routing/workloads/contract-vocabulary.js';

const CANDIDATE = fieldTable('ChatCandidate', 'A model that was looked at.', {
  model: text('The id of the model that was looked at.'),
  chosen: flag('True for the chosen one.'),
  rejected: code(ROUTE_REJECTIONS, 'Why it was not chosen; null for the chosen one.'),
  reason: text('The same for people.'),
  estimateMicro: money('What the request could cost with it at most; null for what is routed.'),
  expectedMicro: money('What the request is expected to cost with it, where the router chose.'),
  qualityBasisPoints: integer('The quality that the router reckoned with, of 10,000.'),
  utilityBasisPoints: integer('Its utility by the terms of the router; null where it failed.'),
});

const FALLBACK = fieldTable('ChatFallback', 'A call that failed before another one answered.', {
  model: text('The model that was called and failed.'),
  provider: text('The provider that was called and failed.'),
  status: integer('Its HTTP status, if any.'),
  error: text('How the call failed, as an error code.'),
  latencyMs: integer('How long it took.'),
});

const USAGE_PARTS = fieldTable(
  'ChatUsageParts',
  'Billed tokens; a token counts in exactly one part.',
  {
    inputUncached: integer('Prompt tokens read anew.'),
    inputCached: integer('Read from a cache.'),
    cacheWrite: integer('Written to a cache.'),
    outputText: integer('Tokens of the answer itself.'),
    outputReasoning: integer('Tokens of reasoning before the answer.'),
  },
);

const OUTPUT_LIMIT = fieldTable(
  'ChatOutputLimit',
  'The output limit of a request whose funds or budget did not cover a longer answer.',
  {
    tokens: integer('The limit in force.'),
    askedTokens: integer('The limit that the request would have had.'),
    loweredBy: text('What did not cover it: `balance` or `budget`.'),
    budget: text('The budget, with its period; null where it was the balance.'),
  },
);

const LADDER_BUDGET = fieldTable('ChatLadderBudget', 'A budget on a step of its ladder.', {
  budget: text('What the budget is called.'),
  budgetId: text('The id of the budget.'),
  step: code(LADDER, 'The highest step that acts on the request; all before it act too.'),
});

const CACHE = fieldTable('ChatCache', 'What the response cache did for the request.', {
  status: text('`hit`, `miss`, or `closed` where a rule closes the cache to the request.'),
  contract: text('The workload contract that switches the cache on.'),
  contractVersion: integer('The version of that contract.'),
  closedBy: list(text('A rule, as in the reference of workloads.'), 'The rules that close it.'),
  ageSeconds: integer('For how long the answer had been kept; null for others.'),
  priceBasisPoints: integer('Its price as a share of the listed one; null for others.'),
});

const WORKLOAD = fieldTable('ChatWorkload', 'The workload contract that held for the request.', {
  contract: text('The key of the contract.'),
  contractVersion: integer('The version of it that held.'),
  effects: list(
    object(
      fieldTable('ChatWorkloadEffect', 'What one part of the contract did to the request.', {
        part: code(CONTRACT_PARTS, 'What the part bounds.'),
        stated: text('What the contract states: a number, or a code.'),
        asked: text('What the request asked for; null where it asked for nothing.'),
        used: text('What held for the request; null where nothing did.'),
        reason: code(CONTRACT_REASONS, 'Why the part came out so.'),
      }),
      'A part of the contract.',
    ),
    'The parts that the contract states, and what each of them did.',
  ),
});

const STAGE = fieldTable('ChatRoutingStage', 'What one stage of the router left.', {
  stage: code(ROUTING_STAGES, 'Which stage it was.'),
  candidatesLeft: integer('How many candidates it left.'),
  leader: text('The model that would have answered after it.'),
});

const DECISION = fieldTable('ChatRoutingDecision', 'How the router has chosen the model.', {
  origin: code(TERMS_ORIGINS, 'Where its terms come from.'),
  contract: text('The routing contract or route policy in force.'),
  contractVersion: integer('Its version; 0 for the published terms.'),
  mode: code(ROUTING_MODES, 'How candidates were weighed.'),
  useCase: text('What the request is for: its `metadata.feature`, or `default`.'),
  killSwitch: code(KILL_SWITCH_STATES, 'The state of the kill switch.'),
  ties: code(TIE_ORDERS, 'How equal candidates were ordered.'),
  verdict: code(ROUTING_VERDICTS, 'How the decision ended.'),
  complexity: code(COMPLEXITIES, 'How hard the request is.'),
  qualityFloorBasisPoints: integer('The least quality that was asked for, of 10,000.'),
  explored: flag('Whether another than the best was tried on purpose.'),
  keptIncumbent: flag('Whether the present model stayed though another one scored higher.'),
  baselineModel: text('The premium baseline: the best quality that could answer.'),
  baselineCostMicro: money('What the billed tokens would have cost with the baseline.'),
  costSavedMicro: money('That, less what was charged.'),
  candidatesTotal: integer('How many models were looked at; ten of them are shown.'),
  situation: text('The hash of what the decision was made from; it makes it again.'),
  stages: list(object(STAGE, 'A stage.'), 'What each stage left, in their order.'),
});

const ALIAS = fieldTable('ChatAlias', 'What the name that the client sent stands for.', {
  target: text('The model, or gw:auto, that the alias stands for.'),
  version: integer('The version of the alias.'),
});

const PRICE = fieldTable('ChatPrice', 'The price row that an answer was billed by.', {
  effectiveFrom: text('The first day on which it holds.'),
  rubPerMillionTokens: object(
    fieldTable('ChatPriceParts', 'Rubles for a million tokens of each part of usage.', {
      inputUncached: number('Prompt tokens read anew.'),
      inputCached: number('Prompt tokens read from a cache.'),
      cacheWrite: number('Prompt tokens written to a cache.'),
      outputText: number('Tokens of the answer itself.'),
      outputReasoning: number('Tokens of reasoning before the answer.'),
    }),
    'What a million tokens cost.',
  ),
});

const POLICY = fieldTable('ChatPolicy', 'A policy that held for a request.', {
  id: text('The id of the policy.'),
  version: integer('The version of it that held.'),
});

/** `gw_routing`. */
export const ROUTING = fieldTable('ChatRouting', 'Which model was chosen, why, and what it cost.', {
  requestId: text('The id of the request, in the ledger and in usage too.'),
  requestedModel: text('The model or alias that was asked for.'),
  alias: object(ALIAS, 'The alias of your organization that was asked for; null for a model.'),
  model: text('The model that answered.'),
  provider: text('The provider that ran the model.'),
  jurisdiction: text('Where the data went: `rf` or `outside`.'),
  dataClass: code(
    CLASSES_OF_DATA,
    'The class by which routes were open: of what left, less what a policy `any` no longer ' +
      'counts once it is masked.',
  ),
  simulated: flag('True when the answer is made up.'),
  strategy: text('How it was chosen.'),
  candidates: list(object(CANDIDATE, 'A candidate.'), 'The models that were looked at.'),
  fallbacks: list(object(FALLBACK, 'A call.'), 'The calls that failed before.'),
  usage: object(USAGE_PARTS, 'The tokens that were billed, by price class.'),
  usageSource: text('`upstream` where the provider counted, else `estimated`.'),
  usageFault: text(
    'Why the figures of the provider were not billed: `parts_exceed_whole` or ' +
      '`far_from_local_count`; null where they were billed or none came.',
  ),
  costMicro: money('What was charged.'),
  price: object(PRICE, 'The price row in force.'),
  policies: list(object(POLICY, 'A policy.'), 'The policies that held.'),
  decision: object(DECISION, 'How the router has chosen; null where the client named the model.'),
  cache: object(CACHE, 'What the response cache did; null where no contract switches it on.'),
  workload: object(WORKLOAD, 'What its workload contract did; null where none is in force.'),
  budgetLadder: list(
    object(LADDER_BUDGET, 'A budget.'),
    'The budgets that concern the request and stand on a step; null where none does.',
  ),
  outputLimit: object(
    OUTPUT_LIMIT,
    'Why the answer may be shorter than asked; null where no limit was lowered.',
  ),
});

/** `gw_slo`. */
export const SLO = fieldTable('ChatSlo', 'Target and measured latency, in milliseconds.', {
  slaClass: text('The class of service.'),
  targetLatencyMs: number(
    'The latency that the class of service aims at for this kind of request.',
  ),
  targetTimeToFirstTokenMs: number('Target of the first token of a stream.'),
  latencyMs: number('From the arrival of the request to the end of the answer.'),
  timeToFirstTokenMs: number('Measured first token; null for a whole answer.'),
  upstreamMs: number('Of it, the provider.'),
  overheadMs: number('Of it, the gateway.'),
  met: flag('Whether the target was met.'),
});

const FINDING = object(
  fieldTable('ChatFindingCount', 'How often a class of data was found or replaced.', {
    class: text('The class of data, as policies name it.'),
    confidence: text('`confirmed` or `suspected`; null where it was replaced.'),
    count: integer('How often the class was found or replaced.'),
  }),
  'A class of data.',
);

const UNREAD_CONTENT = fieldTable(
  'ChatUnreadContent',
  'How much content of a kind the firewall could not read.',
  {
    kind: text('The kind, as `firewall_unread` of policies names it.'),
    count: integer('How many pieces of content of the kind the request carries.'),
    policy: text('What the policies say about the kind: `rf_only` or `allow`.'),
  },
);

const FIREWALL_ANSWER = fieldTable('ChatFirewallAnswer', 'What was found in the answer.', {
  findings: list(FINDING, 'What was found in the answer, counted by class.'),
  masked: list(FINDING, 'What was replaced in the answer, counted by class.'),
});

const CLASS_SOURCE = fieldTable('ChatDataClassSource', 'Who says a class of the data.', {
  source: code(DATA_CLASS_SOURCES, 'Who says that the data has this class.'),
  dataClass: code(CLASSES_OF_DATA, 'The class that it says.'),
});

/** `gw_firewall`. */
export const FIREWALL = fieldTable(
  'ChatFirewall',
  'What the firewall found and masked, by class; never the matched text.',
  {
    verdict: text('`pass` or `masked`.'),
    mode: json('The mode of each class.'),
    dataClass: text('The highest class that any source says, before anything was masked.'),
    dataClassSources: list(
      object(CLASS_SOURCE, 'A source.'),
      'Who says which class; what says nothing is left out.',
    ),
    findings: list(FINDING, 'What was found in the request, counted by class.'),
    masked: list(FINDING, 'What was replaced in the request, counted by class.'),
    unread: list(
      object(UNREAD_CONTENT, 'A kind of content.'),
      'Content of the request that nothing read; nobody knows what it shows.',
    ),
    answer: object(
      FIREWALL_ANSWER,
      'What was found and replaced in the answer; null where it was not inspected.',
    ),
  },
);

/** `gw_prompt`. */
export const PROMPT_USE = fieldTable(
  'ChatPromptUse',
  'The version of the prompt that filled the request.',
  {
    promptId: text('The id of the version that was used.'),
    promptKey: text('The key of the prompt package.'),
    version: integer('The number of the version within its package.'),
    status: text('The status that the version had when it was used.'),
    promoted: flag('Whether a gate has let the version into production; else it is on trial.'),
    contentHash: text('The hash of the content of the version, as its gate sealed it.'),
    variant: text('The model variant.'),
    schemaValid: flag('Whether the answer is by the output schema; null where not measured.'),
  },
);

const DROPPED = fieldTable('ChatContextDropped', 'A block that was not sent.', {
  id: text('The id of the block.'),
  tokens: integer('How many tokens it would have taken.'),
  reason: text('Why it was dropped, as a cut reason in the reference of workloads.'),
});

/** `gw_context`. */
export const CONTEXT_USE = fieldTable(
  'ChatContextUse',
  'What was sent of the blocks of the request, and why the others were not.',
  {
    verdict: text('Always `COMPILED`: what does not compile is refused.'),
    objective: text('What the choice aimed at: `every_must_then_most_value`.'),
    windowModel: text('The model for whose window the blocks were chosen.'),
    windowTokens: integer('The window of that model.'),
    outputTokens: integer('Of it, kept free for the answer.'),
    safetyTokens: integer('Of it, left free, as counts differ between models.'),
    promptTokens: integer('Of it, taken by messages and tools.'),
    roomTokens: integer('What was left for the blocks.'),
    tokensBefore: integer('All blocks together.'),
    tokensAfter: integer('The kept blocks together; never more than the room.'),
    value: integer('The sum of the values of the kept blocks.'),
    kept: list(text('An id.'), 'The kept blocks, in the given order.'),
    dropped: list(object(DROPPED, 'A block.'), 'The blocks that were not sent.'),
  },
);
