import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { declared, estimated, type Sourced } from '../../kernel/provenance.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import { PACKAGES, QUOTE_DAYS } from './offers.js';
import { marginOf } from './quote.rules.js';
import { QUOTES } from './records.js';
import { QUOTE_FIELDS, QUOTE_INPUT, type Quote } from './tables.js';
import { measuredMonth, monthAhead } from './usage-history.js';

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
  const { cost, priceRows, priceChangeMicro } = await costOf(ctx, asked, offered.usageMicro);
  const { value: costMicro, provenance } = cost;
  const priceMicro = asked.priceMicro ?? offered.priceMicro;
  const body: Quote = {
    accountRef: asked.accountRef,
    package: offered.code,
    priceMicro,
    listPriceMicro: offered.priceMicro,
    costMicro,
    costProvenance: provenance,
    priceRows,
    priceChangeMicro,
    ...marginOf(priceMicro, costMicro, priceChangeMicro === null ? 'estimated' : provenance),
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

interface MonthCost extends Pick<Quote, 'priceRows' | 'priceChangeMicro'> {
  readonly cost: Pick<Sourced<bigint>, 'value' | 'provenance'>;
}

/**
 * The cost as stated; else a month by the history of the account, each of the days to come at the
 * price rows in force on it; else, where the history is too
 * short, the usage that the package is made for.
 */
async function costOf(
  ctx: AuthorizedCtx,
  { accountRef, costMicro }: Asked,
  usageMicro: bigint,
): Promise<MonthCost> {
  const without = { priceRows: [], priceChangeMicro: 0n };
  if (costMicro !== null) return { cost: declared(costMicro), ...without };
  const { value, provenance } = await measuredMonth(ctx, accountRef);
  if (value === null) return { cost: estimated(usageMicro), ...without };
  const ahead = await monthAhead(ctx, accountRef, value);
  const { rows: priceRows, changeMicro: priceChangeMicro } = ahead;
  const aheadMicro = value.costMicro + (priceChangeMicro ?? 0n);
  return { cost: { value: aheadMicro, provenance }, priceRows, priceChangeMicro };
}
