import type { ErrorRow } from '../../kernel/errors/row.js';

/** Case sets of prompts and evaluations over them. */
export const EVALUATION_ERRORS = {
  prompt_without_cases: {
    status: 422,
    type: 'invalid_request_error',
    message:
      'The prompt package has no case set yet. Store one: POST /v1/gw/prompts/{id}/case-sets.',
    cause: 'A version is evaluated over a stored set of cases.',
    fix: ['Store cases with POST /v1/gw/prompts/{id}/case-sets, then start the evaluation.'],
    ru: {
      message:
        'В пакете промптов пока нет набора примеров. Сохраните его: POST ' +
        '/v1/gw/prompts/{id}/case-sets.',
      cause: 'Версию прогоняют на сохранённом наборе примеров.',
      fix: ['Сохраните примеры через POST /v1/gw/prompts/{id}/case-sets и запустите прогон.'],
    },
  },
  prompt_cases_erased: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The cases of case set {version} were erased with personal data.',
    cause: 'The organization erased its personal data, and cases may hold some.',
    fix: ['Store the cases anew with POST /v1/gw/prompts/{id}/case-sets.'],
    ru: {
      message: 'Примеры набора {version} стёрты вместе с персональными данными.',
      cause: 'Организация стёрла свои персональные данные, а в примерах они могут быть.',
      fix: ['Сохраните примеры заново через POST /v1/gw/prompts/{id}/case-sets.'],
    },
  },
  prompt_evaluations_busy: {
    status: 409,
    type: 'conflict_error',
    message: 'The organization has {max} evaluations running already.',
    cause: 'Evaluations run beside ordinary requests, so few of them run at the same time.',
    fix: ['Start it when one of them has ended, or cancel one.'],
    ru: {
      message: 'В организации уже выполняется прогонов: {max}.',
      cause: 'Прогоны идут рядом с обычными запросами, поэтому одновременно их немного.',
      fix: ['Запустите прогон, когда один из них закончится, или отмените один из них.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
