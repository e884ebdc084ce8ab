import type { ErrorRow } from '../../kernel/errors/row.js';

/** Beacons of pages. */
export const ANALYTICS_ERRORS = {
  beacon_throttled: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many beacons; come again in {seconds} seconds.',
    cause: 'An address may send 60 beacons a minute, and all together 1,200 to a node.',
    fix: ['Leave the beacon out: it is never needed, and a page does not repeat it.'],
    ru: {
      message: 'Слишком много маячков; попробуйте снова через {seconds|секунду|секунды|секунд}.',
      cause: 'С одного адреса принимается 60 маячков в минуту, а со всех вместе — 1200 на узел.',
      fix: ['Обойдитесь без маячка: он никогда не обязателен, и страница его не повторяет.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
