import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { pageComplexity } from '../../graph/page.js';
import { enumOf, inputOf, storedFields } from '../../graph/table-types.js';
import { requireOwn } from '../../records/own.js';
import { listPrompts, versionsOf } from './history.js';
import { PromptLifecycle } from './lifecycle-schema.js';
import { promotePrompt, rollbackPrompt } from './promotion.js';
import { createPrompt, createPromptVersion } from './service.js';
import { stageOf } from './stored.js';
import { PACKAGE_INPUT, STORED_PACKAGE_FIELDS, VERSION_INPUT } from './tables.js';
import { PromptVersion } from './version-schema.js';
import { PROMPT_STATUSES } from './vocabulary.js';

const RECENT_VERSIONS_MAX = 50;
const LATEST_FIRST = { version: 'desc' } as const;

const Prompt = builder.prismaNode('Prompt', {
  id: { field: 'id', description: 'The id of the package.' },
  description:
    'A prompt package: a key that requests name, with versions and their lifecycle. A new ' +
    'version becomes current unless the current one is in production, which goes on serving ' +
    'until another one is promoted there.',
  fields: (t) => ({
    ...(storedFields(t, STORED_PACKAGE_FIELDS) as object),
    contextPolicy: t.string({
      nullable: true,
      description:
        'The id of the context policy, or the name that no policy has had yet; null where none ' +
        'is named.',
      resolve: ({ contextPolicyId, contextPolicyName }) => contextPolicyId ?? contextPolicyName,
    }),
    lifecycle: t.field({
      type: PromptLifecycle,
      description: 'What can be done next, and what happened.',
      select: {
        stages: { where: { status: { not: 'deprecated' } }, orderBy: LATEST_FIRST, take: 1 },
      },
      resolve: ({ id, previousVersions, stages: [stage] }) => {
        return { id, previousVersions, stage: stage && stageOf(stage) };
      },
    }),
    recentVersions: t.relation('versions', {
      description: `The latest ${RECENT_VERSIONS_MAX} versions; \`versions\` pages all.`,
      query: { orderBy: LATEST_FIRST, take: RECENT_VERSIONS_MAX },
    }),
    versions: t.relatedConnection('versions', {
      cursor: 'id',
      description: 'Every version, newest first.',
      complexity: pageComplexity,
      query: { orderBy: LATEST_FIRST },
    }),
  }),
});

const PACKAGE_ID = 'The prompt package, by its id.';

builder.queryFields((t) => ({
  prompts: t.prismaConnection({
    type: Prompt,
    cursor: 'id',
    description: 'The prompt packages of the organization, newest first.',
    authScopes: { can: 'prompts.read' },
    complexity: pageComplexity,
    args: {
      status: t.arg({ type: enumOf(PROMPT_STATUSES), description: 'Only those of this status.' }),
      ownerTeam: t.arg.string({ description: 'Only those of this team.' }),
      useCase: t.arg.string({ description: 'Only those for this use case.' }),
    },
    resolve: (query, _root, filter, ctx) => listPrompts(ctx, filter, query),
  }),
  prompt: t.field({
    type: Prompt,
    description: 'A prompt package by its id.',
    authScopes: { can: 'prompts.read' },
    args: { id: t.arg({ type: 'ID', required: true, description: PACKAGE_ID }) },
    resolve: (_root, { id }, ctx) => requireOwn(authorized(ctx), 'Prompt', id),
  }),
  promptVersions: t.prismaConnection({
    type: PromptVersion,
    cursor: 'id',
    description: 'The versions of a prompt package, newest first.',
    authScopes: { can: 'prompts.read' },
    complexity: pageComplexity,
    args: { promptId: t.arg({ type: 'ID', required: true, description: PACKAGE_ID }) },
    resolve: (query, _root, { promptId }, ctx) => versionsOf(authorized(ctx), promptId, query),
  }),
}));

const REASON = 'Why, for the history; at most 500 characters.';

builder.mutationFields((t) => ({
  promptCreate: t.field({
    type: Prompt,
    description: 'Creates a prompt package.',
    authScopes: { can: 'prompts.write' },
    args: {
      input: t.arg({
        type: inputOf(PACKAGE_INPUT),
        required: true,
        description: 'The prompt package, by its id.',
      }),
    },
    resolve: (_root, { input }, ctx) => createPrompt(authorized(ctx), input),
  }),
  promptVersionCreate: t.field({
    type: PromptVersion,
    description:
      'Appends a version to a prompt package, as a draft. A template that does not parse is ' +
      'refused with its lines; everything else is a question of the gate.',
    authScopes: { can: 'prompts.write' },
    args: {
      promptId: t.arg({ type: 'ID', required: true, description: PACKAGE_ID }),
      input: t.arg({
        type: inputOf(VERSION_INPUT),
        required: true,
        description: 'What the version says.',
      }),
    },
    resolve: (_root, { promptId, input }, ctx) =>
      createPromptVersion(authorized(ctx), promptId, input),
  }),
  promptPromote: t.field({
    type: Prompt,
    description:
      'Promotes a version by one step: draft, review, staging, production, deprecated. Staging ' +
      'needs that the latest gate run of that very version did not fail, production that it ' +
      'passed, that its decision follows again from the sealed evidence, and that nothing ' +
      'changed since in what is recorded. In production a version becomes current, and the one ' +
      'that was there before becomes deprecated, superseded by it, in the same transaction; a ' +
      'rollback restores it.',
    authScopes: { can: 'prompts.write' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: PACKAGE_ID }),
      version: t.arg.int({ description: 'Default: the latest that is not deprecated.' }),
      to: t.arg({
        type: enumOf(PROMPT_STATUSES),
        description: 'The status that it must reach; only the next one is possible.',
      }),
      reason: t.arg.string({ description: REASON }),
    },
    resolve: (_root, { id, ...order }, ctx) => promotePrompt(authorized(ctx), id, order),
  }),
  promptRollback: t.field({
    type: Prompt,
    description:
      'Makes the previous version current again, one further back each time; in force for the ' +
      'next request. A version that leaves production stands in staging after it and can be ' +
      'promoted again; a version that had been superseded returns to production, since its gate ' +
      'receipt still stands; any other keeps its status.',
    authScopes: { can: 'prompts.write' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: PACKAGE_ID }),
      reason: t.arg.string({ description: REASON }),
    },
    resolve: (_root, { id, reason }, ctx) => rollbackPrompt(authorized(ctx), id, reason),
  }),
}));
