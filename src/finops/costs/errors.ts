import type { StatedError } from '../../kernel/errors/row.js';

/** Why a run is not forecast. */
export const COST_ERRORS = {
  cannot_forecast: {
    status: 422,
    message: 'Nothing says what a unit costs: the model {model} has no price today.',
    cause:
      'No cost of a unit was stated, the scope has no recorded request in 30 days, and there is ' +
      'no list price.',
    fix: ['State cost_per_unit_rub.', 'Name a model with a price in GET /v1/models.'],
    ru: {
      message: 'Неизвестно, сколько стоит единица: у модели {model} сегодня нет цены.',
      cause:
        'Стоимость единицы не указана, за 30 дней в области нет записанных запросов, и ' +
        'прейскурантной цены тоже нет.',
      fix: ['Укажите cost_per_unit_rub.', 'Назовите модель, у которой есть цена в GET /v1/models.'],
    },
  },
} as const satisfies Record<string, StatedError>;
