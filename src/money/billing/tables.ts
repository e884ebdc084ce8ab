import {
  fieldTable,
  instant,
  money,
  object,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';

/** The funds of an organization with its commercial terms. Amounts include the tax. */
export const BALANCE = fieldTable(
  'Balance',
  'The funds of the organization and its commercial terms.',
  {
    accountId: uuid('The ruble account.'),
    currency: text('The currency of all amounts: always `RUB`.'),
    postedMicro: money('What the account owns.'),
    heldMicro: money('What open requests reserve of it; it is charged or released when they end.'),
    availableMicro: money('What new requests can use: posted less held.'),
    plan: text('The commercial plan.'),
    slaClass: text('The class of the service level.'),
    commitMicro: money('The committed spend of the contract, 0 without one.'),
  },
);

export type Balance = ValuesOf<typeof BALANCE.fields>;

/** What a top-up did. */
export const TOP_UP = fieldTable('BillingTopUp', 'A top-up and the balance after it.', {
  requestId: uuid('Its id in the ledger.'),
  amountMicro: money('What was added.'),
  balance: object(BALANCE, 'The balance after it.'),
});

/** Commercial terms of an organization from a moment on. */
export const TERMS = fieldTable(
  'CommercialTerms',
  'Commercial terms of an organization from a moment on. They are never changed.',
  {
    plan: text('The commercial plan.'),
    slaClass: text('The class of the service level.'),
    commitMicro: money('Committed a month.'),
    effectiveFrom: instant('From when on the terms hold.'),
    reason: text('Why, as the operator says.'),
  },
);

export type Terms = ValuesOf<typeof TERMS.fields>;
