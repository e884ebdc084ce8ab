import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { liveWinRate, recordOutcome, sealCommercial } from './deals.js';
import { stateEvidence } from './evidence.js';
import { EVIDENCE_INPUT } from './evidence.tables.js';
import { COMMERCIAL_RECEIPTS, WTP_EVIDENCE, WTP_HYPOTHESES } from './records.js';
import './reference.js';
import {
  LIVE_WIN_RATE,
  OUTCOME_INPUT,
  RECEIPT_INPUT,
  RECORDED_OUTCOME,
  VALIDATION,
  VALIDATION_INPUT,
  WIN_RATE_QUESTION,
  WTP_INPUT,
} from './tables.js';
import './what-ifs.js';
import { recordWtp, validateWtp } from './wtp.js';

const READ = { can: 'commercial.read' } as const;
const WRITE = { can: 'commercial.write' } as const;

builder.queryFields((t) => ({
  wtpValidation: t.field({
    type: outputOf(VALIDATION),
    description: 'What the ledger says of a hypothesis: `VALIDATED`, `REFUTED` or `DECLARED`.',
    authScopes: READ,
    complexity: { field: 10, multiplier: 1 },
    args: argsOf(t, { input: object(VALIDATION_INPUT, 'The hypothesis that is asked about.') }),
    resolve: (_root, { input }, ctx) => validateWtp(authorized(ctx), input),
  }),
  liveWinRate: t.field({
    type: outputOf(LIVE_WIN_RATE),
    description: 'The win rate of recorded outcomes in a window.',
    authScopes: READ,
    complexity: { field: 10, multiplier: 1 },
    args: argsOf(t, WIN_RATE_QUESTION),
    resolve: (_root, question, ctx) => liveWinRate(authorized(ctx), question),
  }),
}));

builder.mutationFields((t) => ({
  wtpHypothesisRecord: t.field({
    type: WTP_HYPOTHESES.type,
    description: 'Records a willingness to pay; the earlier ones of the deal stay as they are.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(WTP_INPUT, 'The hypothesis that is recorded.') }),
    resolve: (_root, { input }, ctx) => recordWtp(authorized(ctx), input),
  }),
  wtpEvidenceState: t.field({
    type: WTP_EVIDENCE.type,
    description:
      'States the deal that a top-up is for: it is evidence for that deal alone. A statement may ' +
      'be corrected until a receipt that counts the top-up is sealed.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(EVIDENCE_INPUT, 'The top-up and its deal.') }),
    resolve: (_root, { input }, ctx) => stateEvidence(authorized(ctx), input),
  }),
  dealOutcomeRecord: t.field({
    type: outputOf(RECORDED_OUTCOME),
    description: 'Records how a deal has ended; the latest outcome of a deal stands.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(OUTCOME_INPUT, 'How the deal has ended.') }),
    resolve: (_root, { input }, ctx) => recordOutcome(authorized(ctx), input),
  }),
  commercialReceiptSeal: t.field({
    type: COMMERCIAL_RECEIPTS.type,
    description: 'Seals what the ledger says of a hypothesis, once for its deal.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(RECEIPT_INPUT, 'The deal that is sealed.') }),
    resolve: (_root, { input }, ctx) => sealCommercial(authorized(ctx), input),
  }),
}));
