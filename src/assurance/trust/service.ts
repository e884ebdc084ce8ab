import type { Ctx, Services } from '../../graph/ctx.js';
import { SLO_TARGETS } from '../../inference/stages/receipts.js';
import { moscowDay } from '../../kernel/time.js';
import { SLA_CLASSES } from '../../money/billing/vocabulary.js';
import { pdfOf } from '../printed/pdf.js';
import { ARTIFACTS } from './artifacts.js';
import { controlsOf } from './controls.rules.js';
import { diagramOf, svgOf } from './diagram.rules.js';
import { type TrustFacts, trustFacts } from './facts.js';
import { flowOf } from './flow.rules.js';
import { printedPack } from './pack.rules.js';
import { answersFrom, missingEvidence } from './questionnaire.rules.js';
import { RETENTION } from './retention.js';
import { subprocessorOf } from './subprocessors.rules.js';

function overviewOf(facts: TrustFacts) {
  const controls = controlsOf(facts);
  const { operator, production, securityContact, breakers, asOf } = facts;
  return {
    operator,
    production,
    controls,
    serviceLevels: SLA_CLASSES.codes.map((slaClass) => ({ slaClass, ...SLO_TARGETS[slaClass] })),
    incidents: {
      contact: securityContact,
      deploymentsServing: breakers.closed,
      deploymentsProbed: breakers.halfOpen,
      deploymentsStopped: breakers.open,
    },
    retention: RETENTION,
    roadmap: controls.filter(({ status }) => status === 'roadmap').map(({ code }) => code),
    asOf,
  };
}

function registerOf(facts: TrustFacts) {
  const subprocessors = facts.providers.map((provider) => subprocessorOf(provider, facts));
  return { subprocessors, observedSince: facts.observedSince, asOf: facts.asOf };
}

/** The vendor questionnaire with the answers that hold on this server. */
export function questionnaireOf(facts: TrustFacts) {
  const controls = controlsOf(facts);
  const questions = answersFrom(controls);
  const gaps = missingEvidence(questions, controls);
  return { questions, missingEvidence: gaps, asOf: facts.asOf };
}

function packOf(facts: TrustFacts) {
  return {
    overview: overviewOf(facts),
    subprocessors: registerOf(facts),
    dataFlow: flowOf(facts),
    artifacts: ARTIFACTS,
    questionnaire: questionnaireOf(facts),
  };
}

/** Everything of the trust centre, as it is shown. */
export type VendorPack = ReturnType<typeof packOf>;

function factsNow({ services }: Ctx): TrustFacts {
  return trustFacts(services, new Date());
}

/** Security, service level and incidents of this server now. */
export const readOverview = (ctx: Ctx) => overviewOf(factsNow(ctx));

/** Who may get requests, and whom this node has contacted. */
export const readRegister = (ctx: Ctx) => registerOf(factsNow(ctx));

/** The path of a request. */
export const readFlow = (ctx: Ctx) => flowOf(factsNow(ctx));

/** The questionnaire with its gaps. */
export const readQuestionnaire = (ctx: Ctx) => questionnaireOf(factsNow(ctx));

/** All of it. */
export const readPack = (ctx: Ctx) => packOf(factsNow(ctx));

/** A picture loads nothing and runs nothing, also when somebody opens it by its address. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** The path of a request as a drawing in SVG. */
export function drawFlow(ctx: Ctx): string {
  ctx.transport.headers['content-security-policy'] = PICTURE_POLICY;
  return svgOf(diagramOf(flowOf(factsNow(ctx))));
}

/** Everybody may ask for the document, and setting it in type takes time: one serves a minute. */
const PRINT_KEPT_MS = 60_000;

interface Print {
  readonly madeAtMs: number;
  readonly day: string;
  readonly pdf: Promise<string>;
}

const prints = new WeakMap<Services, Print>();

/** All of it as one document in PDF, in Base64, at most a minute old. */
export function printPack(ctx: Ctx): Promise<string> {
  const nowMs = Date.now();
  const known = prints.get(ctx.services);
  const isFresh = known !== undefined && nowMs - known.madeAtMs < PRINT_KEPT_MS;
  const print = isFresh ? known : newPrint(ctx, nowMs);
  prints.set(ctx.services, print);
  // What could not be made is tried again by the next who asks.
  print.pdf.catch(() => prints.delete(ctx.services));
  ctx.transport.headers['content-disposition'] = `inline; filename="vendor-pack-${print.day}.pdf"`;
  return print.pdf;
}

function newPrint(ctx: Ctx, madeAtMs: number): Print {
  const facts = factsNow(ctx);
  const day = moscowDay(madeAtMs);
  const printed = printedPack(packOf(facts), diagramOf(flowOf(facts)), day);
  return { madeAtMs, day, pdf: pdfOf(printed).then((pdf) => pdf.toString('base64')) };
}
