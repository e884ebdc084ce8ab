import type { Registry } from '../catalog/providers/model.js';
import { formatRub, type MicroRub } from '../kernel/money.js';
import type { Metric, Sample } from '../platform/exposition.rules.js';
import { HistogramSeries } from '../platform/series.js';
import type { Bill } from './bill.js';
import {
  ATTEMPT_ERRORS,
  type Attempt,
  type AttemptError,
  type AttemptWatch,
} from './upstream/call.js';
import { USAGE_FAULTS, type UsageFault } from './usage-faults.rules.js';

/**
 * How a request for a model ends, for the operator: `complete` and `partial` are charged, `cached`
 * is a kept answer, `refused` one that this gateway did not let through, `failed` a fault of a
 * provider or of ours, `left` a client that went away before anything was produced.
 */
const MODEL_OUTCOMES = ['complete', 'partial', 'cached', 'refused', 'failed', 'left'] as const;

/** How a request for a model ends. */
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

/** Pairs of provider and model that have series of their own; the operator alone makes new ones. */
const PAIRS_MAX = 1_000;
/** The label of whatever the registry does not know: nobody makes a series by naming a model. */
const OTHER = 'other';
/** The provider of a request that reached none. */
const NONE = 'none';

/** Upper bounds in seconds: of a first token, and of the whole time that a provider takes. */
const FIRST_TOKEN_SECONDS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30, 60];
const UPSTREAM_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
/** Of what the gateway itself takes of a request. */
const OVERHEAD_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const CODES = Object.keys(ATTEMPT_ERRORS) as readonly AttemptError[];

type Outcomes = Record<ModelOutcome, number>;
type Failures = Partial<Record<AttemptError, number>>;

/** What is counted of one model at one provider. */
class PairSeries {
  readonly labels: Readonly<Record<'provider' | 'model', string>>;
  readonly outcomes: Outcomes = newOutcomes();
  readonly firstToken = new HistogramSeries(FIRST_TOKEN_SECONDS);
  readonly upstream = new HistogramSeries(UPSTREAM_SECONDS);
  readonly failures: Failures = {};
  readonly fallbacks: Failures = {};
  /** False while no deployment of it has been charged: what it used is not shown then. */
  hasCharges = false;
  readonly usageFaults: Record<UsageFault, number> = {
    parts_exceed_whole: 0,
    far_from_local_count: 0,
  };
  answers = 0;
  input = 0;
  output = 0;
  micro = 0n;

  constructor(provider: string, model: string) {
    this.labels = { provider, model };
  }
}

/**
 * What an operator sees of models: by provider, model and outcome, over the life of the process.
 * Labels are names of the registry and of lists of ours, so that no customer makes a series.
 */
export class ModelMetrics implements AttemptWatch {
  private readonly all: PairSeries[] = [];
  /** By provider, then model: finding a pair makes no text of both. */
  private readonly byProvider = new Map<string, Map<string, PairSeries>>();
  private readonly overhead = new HistogramSeries(OVERHEAD_SECONDS);

  constructor(private readonly registry: Pick<Registry, 'models' | 'aliases'>) {}

  /** An answer was charged, once: `chargedMicro` is what the ledger has taken. */
  charged({ outcome, overheadUs }: Bill, chargedMicro: MicroRub): void {
    const { deployment, usage, cachedMs, status, timeToFirstTokenMs, upstreamMs } = outcome;
    const series = this.pairOf(deployment.providerId, deployment.id);
    series.outcomes[cachedMs === undefined ? status : 'cached'] += 1;
    series.hasCharges = true;
    series.input += usage.input_uncached + usage.input_cached + usage.cache_write;
    series.output += usage.output_text + usage.output_reasoning;
    series.micro += chargedMicro;
    if (outcome.usageFault) series.usageFaults[outcome.usageFault] += 1;
    if (timeToFirstTokenMs !== undefined) series.firstToken.observe(timeToFirstTokenMs / 1_000);
    if (cachedMs === undefined) series.upstream.observe(upstreamMs / 1_000);
    this.overhead.observe(overheadUs / 1_000_000);
  }

  /** A request ended without a charge. @param providerId undefined where it reached none */
  ended(providerId: string | undefined, model: string, outcome: ModelOutcome): void {
    const { models, aliases } = this.registry;
    const isKnown = models.has(model) || aliases.has(model);
    this.pairOf(providerId ?? NONE, isKnown ? model : OTHER).outcomes[outcome] += 1;
  }

  /** A deployment was asked, and another one before it where there was one. */
  attempted({ providerId, modelId, error }: Attempt): void {
    const series = this.pairOf(providerId, modelId);
    if (error === null) series.answers += 1;
    else add(series.failures, error);
  }

  /** Another deployment is asked, since this one has failed. */
  fellBack({ providerId, modelId, error }: Attempt): void {
    if (error !== null) add(this.pairOf(providerId, modelId).fallbacks, error);
  }

  /** All of it, as the exposition shows it. */
  metrics(): readonly Metric[] {
    const each = (samples: (series: PairSeries) => readonly Sample[]) => this.all.flatMap(samples);
    const charged = this.all.filter(({ hasCharges }) => hasCharges);
    return [
      {
        name: 'gw_model_requests_total',
        help: 'Requests for models, by the deployment that answered or failed and by outcome.',
        type: 'counter',
        samples: each(({ labels, outcomes }) =>
          MODEL_OUTCOMES.map((outcome) => ({
            labels: { ...labels, outcome },
            value: outcomes[outcome],
          })),
        ),
      },
      {
        name: 'gw_model_tokens_total',
        help: 'Tokens that were charged, by direction.',
        type: 'counter',
        samples: charged.flatMap(({ labels, input, output }) => [
          { labels: { ...labels, direction: 'input' }, value: input },
          { labels: { ...labels, direction: 'output' }, value: output },
        ]),
      },
      {
        name: 'gw_model_charged_rubles_total',
        help: 'What was charged in rubles, VAT included, to the micro-ruble.',
        type: 'counter',
        samples: charged.map(({ labels, micro }) => ({ labels, value: formatRub(micro) })),
      },
      usageFaultMetric(charged),
      {
        name: 'gw_model_first_token_seconds',
        help: 'Time from arrival to the first token of a stream.',
        type: 'histogram',
        samples: each(({ labels, firstToken }) => firstToken.samples(labels)),
      },
      {
        name: 'gw_model_upstream_seconds',
        help: 'Time from the first call to the end of the answer, with repeats and fallbacks.',
        type: 'histogram',
        samples: each(({ labels, upstream }) => upstream.samples(labels)),
      },
      {
        name: 'gw_model_overhead_seconds',
        help: 'Time of an answered request that no provider took.',
        type: 'histogram',
        samples: this.overhead.samples({}),
      },
      {
        name: 'gw_upstream_attempts_total',
        help: 'Calls of deployments, by the error that ended them before an answer began, or none.',
        type: 'counter',
        samples: each(({ labels, answers, failures }) => [
          ...(answers > 0 ? [{ labels: { ...labels, error: 'none' }, value: answers }] : []),
          ...failureSamples(labels, failures),
        ]),
      },
      {
        name: 'gw_upstream_fallbacks_total',
        help: 'Requests that went on to another deployment, by the one that failed and its error.',
        type: 'counter',
        samples: each(({ labels, fallbacks }) => failureSamples(labels, fallbacks)),
      },
    ];
  }

  private pairOf(provider: string, model: string): PairSeries {
    return this.byProvider.get(provider)?.get(model) ?? this.newPair(provider, model);
  }

  private newPair(provider: string, model: string): PairSeries {
    if (this.all.length >= PAIRS_MAX && model !== OTHER) return this.pairOf(OTHER, OTHER);
    const series = new PairSeries(provider, model);
    this.all.push(series);
    const models = this.byProvider.get(provider) ?? new Map<string, PairSeries>();
    this.byProvider.set(provider, models.set(model, series));
    return series;
  }
}

function usageFaultMetric(charged: readonly PairSeries[]): Metric {
  return {
    name: 'gw_upstream_usage_faults_total',
    help: 'Charged answers whose reported usage was not billed, by what was wrong with it.',
    type: 'counter',
    samples: charged.flatMap(({ labels, usageFaults }) =>
      USAGE_FAULTS.map((fault) => ({ labels: { ...labels, fault }, value: usageFaults[fault] })),
    ),
  };
}

function newOutcomes(): Outcomes {
  return { complete: 0, partial: 0, cached: 0, refused: 0, failed: 0, left: 0 };
}

function add(failures: Failures, error: AttemptError): void {
  failures[error] = (failures[error] ?? 0) + 1;
}

function failureSamples(labels: PairSeries['labels'], failures: Failures): Sample[] {
  return CODES.flatMap((error) => {
    const value = failures[error];
    return value === undefined ? [] : [{ labels: { ...labels, error }, value }];
  });
}

declare module '../graph/ctx.js' {
  interface Services {
    readonly modelMetrics: ModelMetrics;
  }
}
