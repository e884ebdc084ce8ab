import type { StatedError } from '../../kernel/errors/row.js';

/** What operations on balances refuse. */
export const OPERATION_ERRORS = {
  refund_exceeds_charge: {
    status: 409,
    message: 'Only {left} RUB are left of the charge of request {request}.',
    cause: 'A refund is at most the charge less what was refunded of it before.',
    fix: ['Leave amount_rub out to refund what is left, or ask for no more than that.'],
    ru: {
      message: 'От списания за запрос {request} осталось только {left} ₽.',
      cause: 'Возврат не может быть больше списания за вычетом прежних возвратов.',
      fix: ['Не указывайте amount_rub, чтобы вернуть остаток, или укажите не больше остатка.'],
    },
  },
  balance_not_available: {
    status: 409,
    message: 'Only {available} RUB can be taken from the balance.',
    cause:
      'Open requests hold a part of it, or it is a bonus: bonuses are not paid out, and nothing ' +
      'that is held leaves the account.',
    fix: [
      'Ask for no more than that; of a return leave amount_rub out to return all that can be.',
      'Wait until open requests have ended.',
    ],
    ru: {
      message: 'С баланса можно списать только {available} ₽.',
      cause:
        'Часть средств удерживают открытые запросы или это бонус: бонусы не выплачиваются, а ' +
        'удержанные средства не покидают счёт.',
      fix: [
        'Укажите не больше этой суммы; при возврате остатка можно не указывать amount_rub.',
        'Дождитесь завершения открытых запросов.',
      ],
    },
  },
  operation_requester_removed: {
    status: 409,
    message: 'The requester of this operation is no longer an administrator of the platform.',
    cause: 'Both the requester and the approver must be administrators when it is carried out.',
    fix: ['Reject it; an administrator of the platform asks for the operation again.'],
    ru: {
      message: 'Автор этой операции больше не администратор платформы.',
      cause: 'На момент проведения администраторами должны быть и автор, и одобривший.',
      fix: ['Отклоните её; администратор платформы запросит операцию снова.'],
    },
  },
} as const satisfies Record<string, StatedError>;
