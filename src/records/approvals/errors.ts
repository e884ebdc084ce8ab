import type { StatedError } from '../../kernel/errors/row.js';

/** Approvals. */
export const APPROVAL_ERRORS = {
  approval_already_decided: {
    status: 422,
    message: 'This approval is already {status}.',
    cause: 'A pending action is approved or rejected exactly once.',
    fix: ['Read the approval to see who decided it; ask for the action again if needed.'],
    ru: {
      message: 'Решение по этому запросу уже принято: {status}.',
      cause: 'Ожидающее действие одобряют или отклоняют ровно один раз.',
      fix: [
        'Прочитайте запись, чтобы узнать, кто принял решение; при необходимости запросите ' +
          'действие снова.',
      ],
    },
  },
  approval_self_forbidden: {
    status: 403,
    message: 'The requester cannot approve this; another member with the right must.',
    cause: 'Four eyes: another eligible member exists or the organization always requires one.',
    fix: ['Ask a member with the role security, admin or owner.'],
    ru: {
      message:
        'Автор запроса не может одобрить его сам; это должен сделать другой участник с ' +
        'нужным правом.',
      cause:
        'Правило четырёх глаз: есть другой подходящий участник, или организация требует ' +
        'второго всегда.',
      fix: ['Попросите участника с ролью security, admin или owner.'],
    },
  },
} as const satisfies Record<string, StatedError>;
