import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import {
  code,
  fieldTable,
  instant,
  list,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { requireOwn } from '../../records/own.js';
import { documentsOf, edoOf } from './pack.js';
import {
  assemblePack,
  fillQuestionnaire,
  printPack,
  readDocument,
  readQuestionnaire,
  readReceipt,
  setStatus,
  trackEdo,
} from './service.js';
import {
  DOCUMENT,
  DOCUMENT_ENTRY,
  EDO,
  EDO_INPUT,
  FILL_INPUT,
  PACK_INPUT,
  PACK_QUESTIONNAIRE,
  PACK_RECEIPT,
  STATUS_INPUT,
} from './tables.js';
import { DOCUMENT_TYPES, PACK_LIFECYCLE, PACK_STATUSES, PACK_TYPES } from './vocabulary.js';

const ProcurementPack = builder.prismaNode('ProcurementPack', {
  id: { field: 'id', description: 'The id of the pack.' },
  description: 'A procurement pack: documents, questionnaire and exchange of one purchase.',
  fields: (t) => ({
    ...storedFields(t, {
      packType: code(PACK_TYPES, 'What the pack is for.'),
      legalName: optional(text('The legal name of the customer; null until it is stated.')),
      inn: optional(text('The taxpayer number of the customer; null until it is stated.')),
      status: code(PACK_STATUSES, 'Where the pack stands.'),
      statusNote: optional(text('Why it has this status, as whoever set it said.')),
    }),
    ...shownFields(
      t,
      {
        nextStatuses: list(code(PACK_STATUSES, 'A status.'), 'The statuses that may follow.'),
        edo: object(EDO, 'The exchange of documents.'),
      },
      (pack) => ({
        nextStatuses: Object.keys(PACK_LIFECYCLE[PACK_STATUSES.parse(pack.status)]) as never,
        edo: edoOf(pack),
      }),
    ),
    documents: t.field({
      type: [outputOf(DOCUMENT_ENTRY)],
      description: 'The documents of the pack with their sources, as they are now.',
      resolve: (pack, _args, ctx) => documentsOf(authorized(ctx), pack),
    }),
    ...storedFields(t, {
      createdBy: uuid('The member or key that assembled it.'),
      createdAt: instant('When it was assembled.'),
      updatedAt: instant('When somebody last changed it.'),
    }),
  }),
});

const PACK_FILTER = fieldTable('ProcurementPackFilter', 'Which packs to list.', {
  createdAt: instant('When the pack was assembled.'),
  status: text('Where the pack stands.'),
  packType: text('What the pack is for.'),
});

ownList({
  field: 'procurementPacks',
  type: ProcurementPack,
  description: 'The procurement packs of the organization.',
  permission: 'procurement.read',
  filter: filterOf(PACK_FILTER),
  noun: 'packs',
});

const PACK = { id: uuid('The pack, by its id.') } as const;
const READ = { can: 'procurement.read' } as const;
const WRITE = { can: 'procurement.write' } as const;
/** A document in type takes a tenth of a second. */
const PRINT_COST = 50;

builder.queryFields((t) => ({
  procurementPack: t.prismaField({
    type: ProcurementPack,
    description: 'One pack with its documents.',
    authScopes: READ,
    args: argsOf(t, PACK),
    resolve: (_query, _root, { id }, ctx) => requireOwn(authorized(ctx), 'ProcurementPack', id),
  }),
  procurementPackDocument: t.field({
    type: outputOf(DOCUMENT),
    description: 'A document of a pack with its text, made from what holds now.',
    authScopes: READ,
    complexity: 10,
    args: argsOf(t, { ...PACK, docType: code(DOCUMENT_TYPES, 'Which document of the pack.') }),
    resolve: (_root, { id, docType }, ctx) => readDocument(authorized(ctx), id, docType),
  }),
  procurementQuestionnaire: t.field({
    type: outputOf(PACK_QUESTIONNAIRE),
    description: 'The questionnaire of a pack, pre-filled by what the gateway can show.',
    authScopes: READ,
    complexity: 10,
    args: argsOf(t, PACK),
    resolve: (_root, { id }, ctx) => readQuestionnaire(authorized(ctx), id),
  }),
  procurementPackReceipt: t.field({
    type: outputOf(PACK_RECEIPT),
    description: 'How far a pack is, what stands against it, and the days that it saves.',
    authScopes: READ,
    complexity: 10,
    args: argsOf(t, PACK),
    resolve: (_root, { id }, ctx) => readReceipt(authorized(ctx), id),
  }),
  procurementPackPdf: t.string({
    description: 'A pack with everything that belongs to it as one PDF, in Base64.',
    authScopes: READ,
    complexity: PRINT_COST,
    args: argsOf(t, PACK),
    resolve: (_root, { id }, ctx) => printPack(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => ({
  procurementPackAssemble: t.prismaField({
    type: ProcurementPack,
    description: 'Assembles a pack with the documents of its type.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(PACK_INPUT, 'What the pack is for, and for whom.') }),
    resolve: (_query, _root, { input }, ctx) => assemblePack(authorized(ctx), input),
  }),
  procurementPackStatusSet: t.prismaField({
    type: ProcurementPack,
    description: 'Moves a pack to a status that may follow; the same status changes nothing.',
    authScopes: WRITE,
    args: argsOf(t, { ...PACK, input: object(STATUS_INPUT, 'The status, and why.') }),
    resolve: (_query, _root, { id, input }, ctx) => setStatus(authorized(ctx), id, input),
  }),
  procurementQuestionnaireFill: t.field({
    type: outputOf(PACK_QUESTIONNAIRE),
    description: 'Answers questions that the gateway leaves open, and answers the questionnaire.',
    authScopes: WRITE,
    args: argsOf(t, { ...PACK, input: object(FILL_INPUT, 'What the organization vouches for.') }),
    resolve: (_root, { id, input }, ctx) => fillQuestionnaire(authorized(ctx), id, input),
  }),
  procurementEdoTrack: t.prismaField({
    type: ProcurementPack,
    description: 'Records what has happened in the exchange of documents; nothing is sent.',
    authScopes: WRITE,
    args: argsOf(t, { ...PACK, input: object(EDO_INPUT, 'What has happened.') }),
    resolve: (_query, _root, { id, input }, ctx) => trackEdo(authorized(ctx), id, input),
  }),
}));
