import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const PRICE_BOOK = {
  permissions: {
    'pricing.read': {
      description: 'Read the price book: plans, quotes and their receipts.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'pricing.write': {
      description: 'Publish plans of the price book and seal quotes.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['priceBookReceiptSeal', 'pricePlanPublish'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'pricing/price-book': typeof PRICE_BOOK;
  }
}

registerModule('pricing/price-book', PRICE_BOOK);
