import type { ErrorRow } from '../../kernel/errors/row.js';

/** Actions of integrations. */
export const INTEGRATION_ERRORS = {
  integration_preview_expired: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This preview could be executed until {expiresAt}.',
    cause: 'A preview shows a record as it was; it can be executed for an hour.',
    fix: ['Preview the action again, and execute the new preview.'],
    ru: {
      message: 'Этот предпросмотр можно было выполнить до {expiresAt}.',
      cause:
        'Предпросмотр показывает запись такой, какой она была; выполнить его можно в течение ' +
        'часа.',
      fix: ['Сделайте предпросмотр заново и выполните его.'],
    },
  },
  integration_target_moved: {
    status: 409,
    type: 'conflict_error',
    message: 'The record is now at version {version}; this is about version {expected}.',
    cause: 'The record has changed since it was looked at: by an execution, or by a newer preview.',
    fix: ['Preview the action again with the record as it is now.'],
    ru: {
      message: 'У записи уже версия {version}, а действие относится к версии {expected}.',
      cause:
        'Запись изменилась с тех пор, как её смотрели: её изменило выполнение или более ' +
        'новый предпросмотр.',
      fix: ['Сделайте предпросмотр заново, с записью в её нынешнем виде.'],
    },
  },
  integration_rollback_refused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This action cannot be rolled back: {reason}.',
    cause: 'Only reversible actions can be undone, and an agent cannot undo what was approved.',
    fix: ['Read `rollback` in the receipt; ask a member where a person must decide.'],
    ru: {
      message: 'Это действие нельзя отменить: {reason}.',
      cause:
        'Отменить можно только обратимое действие, и агент не может отменить то, что было ' +
        'одобрено.',
      fix: ['Прочитайте `rollback` в квитанции; где решать должен человек, попросите участника.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
