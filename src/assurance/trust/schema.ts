import { builder } from '../../graph/builder.js';
import { outputOf } from '../../graph/table-types.js';
import { ARTIFACTS } from './artifacts.js';
import {
  drawFlow,
  printPack,
  readFlow,
  readOverview,
  readPack,
  readQuestionnaire,
  readRegister,
} from './service.js';
import { ARTIFACT, FLOW, OVERVIEW, QUESTIONNAIRE, REGISTER, VENDOR_PACK } from './tables.js';

const LISTED = { field: 1, multiplier: 1 };

builder.queryFields((t) => ({
  trustOverview: t.field({
    type: outputOf(OVERVIEW),
    description: 'Security, service level and incident posture: what holds on this server now.',
    complexity: LISTED,
    resolve: (_root, _args, ctx) => readOverview(ctx),
  }),
  trustSubprocessors: t.field({
    type: outputOf(REGISTER),
    description: 'Models and sub-processors: routes, classes of data, and hosts really contacted.',
    complexity: LISTED,
    resolve: (_root, _args, ctx) => readRegister(ctx),
  }),
  trustDataFlow: t.field({
    type: outputOf(FLOW),
    description: 'The path of a request as nodes and edges, made from the list of its stages.',
    complexity: LISTED,
    resolve: (_root, _args, ctx) => readFlow(ctx),
  }),
  trustDataFlowDiagram: t.string({
    description: 'The same path as a drawing in SVG, which loads nothing.',
    resolve: (_root, _args, ctx) => drawFlow(ctx),
  }),
  trustArtifacts: t.field({
    type: [outputOf(ARTIFACT)],
    description: 'The documents of the trust centre, with who gets them and whether they exist.',
    complexity: LISTED,
    resolve: () => ARTIFACTS,
  }),
  trustQuestionnaire: t.field({
    type: outputOf(QUESTIONNAIRE),
    description: 'A vendor questionnaire with the answers that hold now, and what is missing.',
    complexity: LISTED,
    resolve: (_root, _args, ctx) => readQuestionnaire(ctx),
  }),
  trustVendorPack: t.field({
    type: outputOf(VENDOR_PACK),
    description: 'Everything of the trust centre in one answer.',
    complexity: LISTED,
    resolve: (_root, _args, ctx) => readPack(ctx),
  }),
  trustVendorPackPdf: t.string({
    description: 'Everything of the trust centre as one document in PDF, in Base64.',
    complexity: 50,
    resolve: (_root, _args, ctx) => printPack(ctx),
  }),
}));
