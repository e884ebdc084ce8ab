import type { Ctx, Services } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { moscowDay } from '../../kernel/time.js';
import { pdfOf } from '../printed/pdf.js';
import { overviewOf, packOf, questionnaireOf, registerOf } from './answers.rules.js';
import { diagramOf, svgOf } from './diagram.rules.js';
import { type TrustFacts, trustFacts } from './facts.js';
import { flowOf } from './flow.rules.js';
import { printedPack } from './pack.rules.js';

function factsNow({ services }: Ctx): Promise<TrustFacts> {
  return trustFacts(services, sharedNow());
}

/** Security, service level and incidents of this server now. */
export const readOverview = async (ctx: Ctx) => overviewOf(await factsNow(ctx));

/** Who may get requests, and whom the nodes have contacted. */
export const readRegister = async (ctx: Ctx) => registerOf(await factsNow(ctx));

/** The path of a request. */
export const readFlow = async (ctx: Ctx) => flowOf(await factsNow(ctx));

/** The questionnaire with its gaps. */
export const readQuestionnaire = async (ctx: Ctx) => questionnaireOf(await factsNow(ctx));

/** All of it. */
export const readPack = async (ctx: Ctx) => packOf(await factsNow(ctx));

/** A picture loads nothing and runs nothing, also when somebody opens it by its address. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** The path of a request as a drawing in SVG. */
export async function drawFlow(ctx: Ctx): Promise<string> {
  ctx.transport.headers['content-security-policy'] = PICTURE_POLICY;
  return svgOf(diagramOf(flowOf(await factsNow(ctx))));
}

/** Everybody may ask for the document, and setting it in type takes time: one serves a minute. */
const PRINT_KEPT_MS = 60_000;

interface Print {
  /** By performance.now(). */
  readonly madeMs: number;
  readonly day: string;
  readonly pdf: Promise<string>;
}

const prints = new WeakMap<Services, Print>();

/** All of it as one document in PDF, in Base64, at most a minute old. */
export function printPack(ctx: Ctx): Promise<string> {
  const known = prints.get(ctx.services);
  const isFresh = known !== undefined && performance.now() - known.madeMs < PRINT_KEPT_MS;
  const print = isFresh ? known : newPrint(ctx);
  prints.set(ctx.services, print);
  // What could not be made is tried again by the next who asks.
  print.pdf.catch(() => prints.delete(ctx.services));
  ctx.transport.headers['content-disposition'] = `inline; filename="vendor-pack-${print.day}.pdf"`;
  return print.pdf;
}

function newPrint(ctx: Ctx): Print {
  const day = moscowDay(sharedNowMs());
  return { madeMs: performance.now(), day, pdf: printedOn(day, ctx) };
}

async function printedOn(day: string, ctx: Ctx): Promise<string> {
  const facts = await factsNow(ctx);
  const pdf = await pdfOf(printedPack(packOf(facts), diagramOf(flowOf(facts)), day));
  return pdf.toString('base64');
}
