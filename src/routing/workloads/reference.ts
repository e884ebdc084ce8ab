import { CACHED_ANSWER_BASIS_POINTS } from '../../catalog/providers/price.js';
import { publishedGuards } from '../../kernel/decision.js';
import { code, fieldTable, integer, number, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { INTERACTION_GUARDS } from './classify.rules.js';
import {
  CACHE_BYPASSES,
  CACHE_SCOPES,
  CONTRACT_PARTS,
  CONTRACT_REASONS,
  EFFECT_BASES,
  HISTORY_GAPS,
  REASONING_EFFORTS,
} from './contract-vocabulary.js';
import {
  ADMISSIONS,
  CACHE_RULES,
  COMPILE_OBJECTIVES,
  COMPONENTS,
  COMPRESSION_SHARE_MIN,
  COMPRESSIONS,
  CUT_REASONS,
  DEDUP_PARTS,
  HARD_RULES,
  INTERACTION_CLASSES,
  ITEMS_MAX,
  LOADS,
  OUTPUT_BASES,
  PRIORITIES,
  PROJECTION_BASES,
  ROADMAP,
  SIMILARITY_MIN,
  STOP_TOKENS,
  TASKS,
  TRANSFORMS,
} from './vocabulary.js';

const PRIORITY = fieldTable('ContextPriorityRow', 'How much items of a context are needed.', {
  value: integer('What keeping an item is worth where nothing else is stated.'),
});
const TASK = fieldTable('WorkloadTaskRow', 'What requests do.', {
  reasoningTokens: integer('What reasoning is worth for it; 0 asks for none.'),
});
const CACHE_RULE = fieldTable('CacheRuleRow', 'What closes a cache to a request.', {
  of: text('`both` caches, or the `semantic` one alone.'),
});
const TRANSFORM = fieldTable('ContextTransformRow', 'What can be done to a context.', {
  basis: code(PROJECTION_BASES, 'Whether it is applied to a given text.'),
  share: number('What estimates leave of a text, 0 to 1.'),
});
const GUARD = fieldTable('InteractionGuard', 'The rows that decide how soon an answer is needed.', {
  outcome: code(INTERACTION_CLASSES, 'What it decides.'),
});
const LOAD = fieldTable('NodeLoadRow', 'How busy a node is.', {
  shareMin: number('The least share of its places that are taken, 0 to 1.'),
});

publishReference({
  module: 'workloads',
  type: 'WorkloadsReference',
  description: 'What workloads are planned by: each list is the one that the rules read.',
  lists: {
    interactionClasses: codes('interaction_class', INTERACTION_CLASSES),
    interactionGuards: rows('interaction_guard', publishedGuards(INTERACTION_GUARDS), GUARD),
    hardRules: codes('hard_rule', HARD_RULES),
    components: codes('component', COMPONENTS),
    compileObjectives: codes('compile_objective', COMPILE_OBJECTIVES),
    priorities: rows('priority', PRIORITIES.rows, PRIORITY),
    cutReasons: codes('cut_reason', CUT_REASONS),
    tasks: rows('task', TASKS.rows, TASK),
    compressions: codes('compression', COMPRESSIONS),
    reasoningEfforts: codes('reasoning_effort', REASONING_EFFORTS),
    cacheScopes: codes('cache_scope', CACHE_SCOPES),
    cacheBypasses: codes('cache_bypass', CACHE_BYPASSES),
    contractParts: codes('contract_part', CONTRACT_PARTS),
    contractReasons: codes('contract_reason', CONTRACT_REASONS),
    effectBases: codes('effect_basis', EFFECT_BASES),
    historyGaps: codes('history_gap', HISTORY_GAPS),
    cacheRules: rows('cache_rule', CACHE_RULES.rows, CACHE_RULE),
    outputBases: codes('output_basis', OUTPUT_BASES),
    admissions: codes('admission', ADMISSIONS),
    loads: rows('load', LOADS.rows, LOAD),
    transforms: rows('transform', TRANSFORMS.rows, TRANSFORM),
    dedupParts: codes('dedup_part', DEDUP_PARTS),
    roadmap: codes('roadmap_item', ROADMAP),
  },
  figures: {
    fields: {
      cachedAnswerBasisPoints: integer(
        'What an answer from the cache costs, as a share of each listed price of its model.',
      ),
      similarityMin: number('Below this a question is not similar enough for a semantic cache.'),
      compressionShareMin: number('A window that is fuller than this may be shortened.'),
      stopTokens: integer('The usual ceiling of answers that stop sequences end.'),
      itemsMax: integer('The most items of one question.'),
    },
    values: {
      cachedAnswerBasisPoints: CACHED_ANSWER_BASIS_POINTS,
      similarityMin: SIMILARITY_MIN,
      compressionShareMin: COMPRESSION_SHARE_MIN,
      stopTokens: STOP_TOKENS,
      itemsMax: ITEMS_MAX,
    },
  },
});
