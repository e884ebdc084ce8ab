import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { declared, estimated, type Sourced } from '../../kernel/provenance.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import { usageOf } from './facts.js';
import { PACKAGES, QUOTE_DAYS } from './offers.js';
import { marginOf } from './quote.rules.js';
import { QUOTES } from './records.js';
import { QUOTE_FIELDS, QUOTE_INPUT, type Quote } from './tables.js';

const DAY_MS = 86_400_000;

/**
 * Makes a quote, the next one of the account, with its margin. A margin below 25 percent is warned
 * of and not refused: the one who asks decides.
 * @throws invalid_request with every fault
 */
export async function createQuote(ctx: AuthorizedCtx, given: GivenValues): Promise<Version<Quote>> {
  const asked = inputValues(QUOTE_INPUT.fields, given);
  failOnFaults(inputFaults(QUOTE_INPUT.fields, asked, 'input'));
  const offered = PACKAGES.rows.find(({ code }) => code === asked.package);
  if (!offered) throw new TypeError(`the package ${asked.package} is not in the list`);
  const now = sharedNow();
  const { value: costMicro, provenance } = await costOf(ctx, asked, offered.usageMicro, now);
  const priceMicro = asked.priceMicro ?? offered.priceMicro;
  const body: Quote = {
    accountRef: asked.accountRef,
    package: offered.code,
    priceMicro,
    listPriceMicro: offered.priceMicro,
    costMicro,
    costProvenance: provenance,
    ...marginOf(priceMicro, costMicro),
    validUntil: new Date(now.getTime() + QUOTE_DAYS * DAY_MS),
  };
  const name = { action: 'revenueQuoteCreate', subject: 'RevenueQuote' } as const;
  return change(ctx, name, async (tx) => {
    const result = await QUOTES.publish(ctx, body, { tx });
    return { result, id: result.id, after: sealedContent(QUOTE_FIELDS, result.body) };
  });
}

interface Asked {
  readonly accountRef: string;
  readonly costMicro: bigint | null;
}

/** The cost as stated; else what the account has cost; else what the package is made for. */
async function costOf(
  ctx: AuthorizedCtx,
  { accountRef, costMicro }: Asked,
  usageMicro: bigint,
  now: Date,
): Promise<Pick<Sourced<bigint>, 'value' | 'provenance'>> {
  if (costMicro !== null) return declared(costMicro);
  const { value, provenance } = await usageOf(ctx, [accountRef], now);
  const used = value(accountRef);
  return used.requests > 0 ? { value: used.costMicro, provenance } : estimated(usageMicro);
}
