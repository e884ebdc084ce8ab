import type { StatedError } from '../../kernel/errors/row.js';

/** The account and its top-ups. */
export const BILLING_ERRORS = {
  manual_top_up_disabled: {
    status: 403,
    message: 'Manual top-up is off on this server.',
    cause: 'In production manual top-up needs the server flag GW_ALLOW_MANUAL_TOP_UP.',
    fix: ['Pay by invoice; for a test installation set GW_ALLOW_MANUAL_TOP_UP=on.'],
    ru: {
      message: 'Ручное пополнение на этом сервере выключено.',
      cause: 'В рабочей среде для ручного пополнения нужен флаг сервера GW_ALLOW_MANUAL_TOP_UP.',
      fix: ['Оплатите по счёту; на тестовом сервере задайте GW_ALLOW_MANUAL_TOP_UP=on.'],
    },
  },
} as const satisfies Record<string, StatedError>;
