import type { StatedError } from '../../kernel/errors/row.js';

/** What a paused scope refuses. */
export const ANOMALY_ERRORS = {
  spend_paused: {
    status: 403,
    message: 'Requests of {scope} "{ref}" are paused: {reason}.',
    cause: 'An anomaly rule of the organization was triggered by live requests and says pause.',
    fix: [
      'Have the approval of the error decided: POST /v1/gw/approvals/{id}/approve resumes it.',
      'Ask again after a rejection with the mutation spendResumeRequest.',
      'Read what was observed with GET /v1/gw/cost/anomalies.',
    ],
    ru: {
      message: 'Запросы приостановлены ({scope} «{ref}»): {reason}.',
      cause: 'Правило аномалий организации сработало на живых запросах и требует паузы.',
      fix: [
        'Добейтесь решения по запросу из ошибки: POST /v1/gw/approvals/{id}/approve ' +
          'снимает паузу.',
        'После отказа попросите снова мутацией spendResumeRequest.',
        'Посмотрите, что было замечено, через GET /v1/gw/cost/anomalies.',
      ],
    },
  },
  spend_not_paused: {
    status: 409,
    message: 'This scope is not paused: {status}.',
    cause: 'Only a scope that is paused can be asked to go on.',
    fix: ['Read where it stands with GET /v1/gw/finops/pauses.'],
    ru: {
      message: 'Эта область не на паузе: {status}.',
      cause: 'Попросить о продолжении можно только для области на паузе.',
      fix: ['Узнайте её состояние через GET /v1/gw/finops/pauses.'],
    },
  },
} as const satisfies Record<string, StatedError>;
