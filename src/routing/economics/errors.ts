import type { StatedError } from '../../kernel/errors/row.js';

/** What the economics of routing refuse. */
export const ECONOMICS_ERRORS = {
  cannot_certify: {
    status: 409,
    message: 'The quality of {model} cannot be certified: {answers} of {needed} answers are there.',
    cause: 'Too few real answers of this model are recorded for the use case or the evaluation.',
    fix: [
      'Let the model answer more requests with this use case as metadata.feature.',
      'Run a larger evaluation set, or publish a scorecard with the source DECLARED.',
    ],
    ru: {
      message:
        'Качество модели {model} нельзя подтвердить: есть {answers} из {needed|нужного ' +
        'ответа|нужных ответов|нужных ответов}.',
      cause: 'Для этого сценария или этой оценки записано слишком мало настоящих ответов модели.',
      fix: [
        'Дайте модели ответить на большее число запросов с этим сценарием в metadata.feature.',
        'Прогоните больший набор оценки или опубликуйте карту качества с источником DECLARED.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
