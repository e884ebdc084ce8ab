import type { Ctx, Services } from '../../graph/ctx.js';
import { moscowDay } from '../../kernel/time.js';
import { pdfOf } from '../printed/pdf.js';
import { overviewOf, packOf, questionnaireOf, registerOf } from './answers.rules.js';
import { diagramOf, svgOf } from './diagram.rules.js';
import { type TrustFacts, trustFacts } from './facts.js';
import { flowOf } from './flow.rules.js';
import { printedPack } from './pack.rules.js';

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
