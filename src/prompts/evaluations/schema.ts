import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { argsOf, inputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { integer, uuid } from '../../kernel/fields/field.js';
import { requireOwn } from '../../records/own.js';
import { caseSetsOf, casesOf, createCaseSet, readCaseSet } from './case-sets.js';
import { shownEvaluation, shownResult } from './stored.js';
import {
  CASE_SET_FIELDS,
  CASE_SET_INPUT,
  CASES_FIELD,
  EVALUATION_FIELDS,
  RESULT_FIELDS,
} from './tables.js';

const CaseSet = builder.prismaNode('PromptCaseSet', {
  id: { field: 'id', description: 'The id of the case set.' },
  description:
    'A version of the cases of a prompt package: what is asked, what a good answer is, and the ' +
    'terms that the gate judges by. It never changes.',
  fields: (t) => ({
    ...(storedFields(t, CASE_SET_FIELDS) as object),
    ...(shownFields(t, CASES_FIELD, (row) => {
      const cases = casesOf(row);
      return { cases, erased: cases === null };
    }) as object),
    contentHash: t.expose('contentHash', {
      type: 'Sha256',
      description: 'Of the RFC 8785 text of its cases and terms.',
    }),
  }),
});

/** An evaluation of a version, by which its progress is followed. */
export const Evaluation = builder.prismaNode('PromptEvaluation', {
  id: { field: 'id', description: 'The id of the evaluation.' },
  description:
    'A run of one version of a prompt over one case set. Each case is a request of the caller ' +
    'through every stage of the gateway, billed as any other. The gate judges runs that ' +
    'completed.',
  fields: (t) => shownFields(t, EVALUATION_FIELDS, shownEvaluation) as never,
});

const Result = builder.prismaNode('PromptEvaluationResult', {
  id: { field: 'id', description: 'The id of the result.' },
  description: 'How one case ended with one model. The answer is not kept; of it there is a hash.',
  fields: (t) => shownFields(t, RESULT_FIELDS, shownResult) as never,
});

const READ = { can: 'prompts.read' } as const;
const PACKAGE = { promptId: uuid('The prompt package, by its id.') } as const;
const EVALUATION = { id: uuid('The evaluation, by its id.') } as const;

builder.queryFields((t) => ({
  promptCaseSets: t.prismaConnection({
    type: CaseSet,
    cursor: 'id',
    description: 'The case sets of a prompt package, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    args: argsOf(t, PACKAGE),
    resolve: (query, _root, { promptId }, ctx) => caseSetsOf(authorized(ctx), promptId, query),
  }),
  promptCaseSet: t.field({
    type: CaseSet,
    description: 'A case set of a prompt package by its number.',
    authScopes: READ,
    args: argsOf(t, { ...PACKAGE, version: integer('Its number, from 1.', { min: 1 }) }),
    resolve: (_root, { promptId, version }, ctx) => readCaseSet(authorized(ctx), promptId, version),
  }),
  promptEvaluations: t.prismaConnection({
    type: Evaluation,
    cursor: 'id',
    description: 'The evaluations of a prompt package, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    args: argsOf(t, PACKAGE),
    resolve: async (query, _root, { promptId }, ctx) => {
      await requireOwn(authorized(ctx), 'Prompt', promptId, { param: 'promptId' });
      const rows = database(ctx).promptEvaluation;
      return rows.findMany({ ...query, where: { promptId }, orderBy: NEWEST_FIRST });
    },
  }),
  promptEvaluation: t.field({
    type: Evaluation,
    description: 'An evaluation, with its progress.',
    authScopes: READ,
    args: argsOf(t, EVALUATION),
    resolve: (_root, { id }, ctx) => requireOwn(authorized(ctx), 'PromptEvaluation', id),
  }),
  promptEvaluationResults: t.prismaConnection({
    type: Result,
    cursor: 'id',
    description: 'The results of an evaluation, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    args: argsOf(t, EVALUATION),
    resolve: async (query, _root, { id }, ctx) => {
      await requireOwn(authorized(ctx), 'PromptEvaluation', id);
      const rows = database(ctx).promptEvaluationResult;
      return rows.findMany({ ...query, where: { evaluationId: id }, orderBy: NEWEST_FIRST });
    },
  }),
}));

builder.mutationField('promptCaseSetCreate', (t) =>
  t.field({
    type: CaseSet,
    description:
      'Stores the next version of the cases of a prompt package. It never changes, and the gate ' +
      'judges by it from now on. Cases may hold personal data: they are sealed, and erased with ' +
      'the personal data of the organization.',
    authScopes: { can: 'prompts.write' },
    args: {
      promptId: t.arg({ type: 'ID', required: true, description: PACKAGE.promptId.description }),
      input: t.arg({
        type: inputOf(CASE_SET_INPUT),
        required: true,
        description: 'The cases and the terms that they are judged by.',
      }),
    },
    resolve: (_root, { promptId, input }, ctx) => createCaseSet(authorized(ctx), promptId, input),
  }),
);
