import type { RevenueSignal } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { sharedNow } from '../../kernel/clock.js';
import { declared } from '../../kernel/provenance.js';
import type { Version } from '../../records/contract-kinds.js';
import { partnerMrr } from './attributions.js';
import { closedOf, eventsOfAll, usageOf } from './facts.js';
import { forecastOf } from './forecast.rules.js';
import { QUOTES } from './records.js';
import { probabilityOf, scoreComponents, scoreOf, stageOf } from './score.rules.js';
import type { Pipeline, Quote } from './tables.js';
import { PIPELINE_MAX } from './vocabulary.js';

/** The pipeline with the signals and quotes that stand behind it. */
export interface PipelineWithRows {
  readonly pipeline: Pipeline;
  /** Open signals, the newest first. */
  readonly topSignals: readonly RevenueSignal[];
  /** The latest quote of each account that is shown. */
  readonly quotes: readonly Version<Quote>[];
}

const FORMULA =
  'The sum over accounts of the price of the latest quote that holds, times the published ' +
  'probability of the stage, rounded half up.';

/** Stages, signals and quotes of all accounts with events, with a forecast. */
export async function readPipeline(ctx: AuthorizedCtx): Promise<PipelineWithRows> {
  const now = sharedNow();
  const { accounts, isCut } = await eventsOfAll(ctx, now, PIPELINE_MAX.accounts);
  const refs = [...accounts.keys()];
  const [usage, closed, quotes, topSignals, partnerMrrMicro] = await Promise.all([
    usageOf(ctx, refs, now),
    closedOf(ctx, refs),
    QUOTES.latestOf(ctx, refs),
    database(ctx).revenueSignal.findMany({
      where: { status: 'open' },
      orderBy: { id: 'desc' },
      take: PIPELINE_MAX.signals,
    }),
    partnerMrr(ctx),
  ]);
  const rows = refs.map((accountRef) => {
    const events = accounts.get(accountRef) ?? {};
    const { requests } = usage.value(accountRef);
    const facts = { events, requests, usageProvenance: usage.provenance };
    const score = scoreOf(scoreComponents(facts));
    const stage = stageOf(score, closed(accountRef));
    const quote = quotes.get(accountRef);
    const probabilityPercent = probabilityOf(stage);
    const holds = quote && quote.body.validUntil > now;
    return {
      accountRef,
      stage,
      score,
      probabilityPercent,
      openSignals: closed(accountRef).openSignals,
      quoteVersion: quote?.version ?? null,
      quotePriceMicro: quote?.body.priceMicro ?? null,
      forecastMicro: holds ? forecastOf(quote.body.priceMicro, probabilityPercent) : null,
    };
  });
  rows.sort((one, other) => other.probabilityPercent - one.probabilityPercent);
  const forecast = rows.flatMap(({ forecastMicro }) => forecastMicro ?? []);
  const { value: monthlyMicro, provenance } = declared(forecast.reduce((a, b) => a + b, 0n));
  const pipeline = {
    accounts: rows,
    accountsLeftOut: isCut,
    partnerMrrMicro,
    forecast: { monthlyMicro, accounts: forecast.length, formula: FORMULA, provenance },
  };
  return { pipeline, topSignals, quotes: [...quotes.values()] };
}
