import type { ErrorRow } from '../../kernel/errors/row.js';

/** Blueprints. */
export const BLUEPRINT_ERRORS = {
  blueprint_unknown: {
    status: 404,
    type: 'not_found_error',
    message: 'No blueprint is named {id}. {hint}',
    cause: 'The id in the path is the slug of a blueprint of the catalogue.',
    fix: ['Use an id of GET /v1/gw/blueprints.'],
    ru: {
      message: 'Нет шаблона с именем {id}. {hint}',
      cause: 'В пути указывают имя шаблона из каталога.',
      fix: ['Возьмите идентификатор из GET /v1/gw/blueprints.'],
    },
  },
  blueprint_sandbox_off: {
    status: 501,
    type: 'invalid_request_error',
    message: 'Blueprints cannot be run here: the sandbox of this server is switched off.',
    cause: 'Sandbox runs use the built-in simulated models, and GW_SANDBOX is off.',
    fix: ['Ask the operator to set GW_SANDBOX=on, or use a server with the sandbox.'],
    ru: {
      message: 'Здесь нельзя запускать шаблоны: песочница этого сервера выключена.',
      cause: 'Для запусков в песочнице нужны встроенные имитации моделей, а GW_SANDBOX выключен.',
      fix: ['Попросите оператора задать GW_SANDBOX=on или используйте сервер с песочницей.'],
    },
  },
  blueprint_model_unfit: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The blueprint {id} cannot be run with the models that are named. {reasons}.',
    cause:
      'A model must have the capabilities that the manifest needs, on a data route that manifest ' +
      'and policies allow, and the policies must mask the personal data of its inputs.',
    fix: [
      'Name a model that the readiness of the blueprint lists as available.',
      'Deploy the blueprint: the missing items name the policies that are needed.',
    ],
    ru: {
      message: 'Шаблон {id} нельзя запустить с названными моделями. {reasons}.',
      cause:
        'У модели должны быть возможности, которых требует манифест, и маршрут данных, который ' +
        'разрешают манифест и политики, а политики должны маскировать персональные данные.',
      fix: [
        'Назовите модель, которую готовность шаблона показывает как доступную.',
        'Разверните шаблон: среди недостающего будут названы нужные политики.',
      ],
    },
  },
  blueprint_output_invalid: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The answer of {model} does not satisfy the output schema of the step: {faults}',
    cause: 'The model answered something else than the schema of the step allows, or was cut.',
    fix: ['Look at the receipt of the step; raise max_output_tokens, or choose another model.'],
    ru: {
      message: 'Ответ модели {model} не соответствует схеме результата шага: {faults}',
      cause: 'Модель ответила не то, что допускает схема шага, или её ответ был обрезан.',
      fix: ['Посмотрите квитанцию шага; увеличьте max_output_tokens или выберите другую модель.'],
    },
  },
  blueprint_step_output_invalid: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The output of the step {step} does not satisfy its output schema: {faults}',
    cause: 'The step computed something else than its output schema allows.',
    fix: ['Look at the output in the receipt of the step; correct the input or the schema.'],
    ru: {
      message: 'Результат шага {step} не соответствует его схеме: {faults}',
      cause: 'Шаг вычислил не то, что допускает схема его результата.',
      fix: ['Посмотрите результат в квитанции шага; исправьте входные данные или схему.'],
    },
  },
  blueprint_limit_reached: {
    status: 409,
    type: 'conflict_error',
    message: 'No more {what} can be stored: {max} are.',
    cause: 'Manifests of an organization and their versions are bounded, and are never deleted.',
    fix: ['Store the next version of a manifest that is there, or one under another id.'],
    ru: {
      message: 'Достигнут предел ({what}): хранится уже {max}, больше нельзя.',
      cause: 'Число манифестов организации и их версий ограничено, и они никогда не удаляются.',
      fix: [
        'Сохраните следующую версию имеющегося манифеста или манифест с другим ' +
          'идентификатором там, где есть место.',
      ],
    },
  },
  blueprint_check_failed: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The checks of the step {step} failed: {checks}.',
    cause: 'The step ends the run where one of its checks does not hold.',
    fix: ['Look at the violations in the receipt of the step and correct the input.'],
    ru: {
      message: 'Проверки шага {step} не пройдены: {checks}.',
      cause: 'Шаг завершает запуск, если одна из его проверок не выполняется.',
      fix: ['Посмотрите нарушения в квитанции шага и исправьте входные данные.'],
    },
  },
  blueprint_step_cost_exceeded: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The step can cost {most} RUB, and {left} are left of what the manifest allows.',
    cause:
      'The request is priced at its longest before it is sent, and run_rub_max bounds the run.',
    fix: ['Give a shorter input, or lower max_output_tokens of the step.'],
    ru: {
      message: 'Шаг может стоить {most} ₽, а от разрешённого манифестом осталось {left} ₽.',
      cause:
        'Перед отправкой запрос оценивается по наибольшей длине, а run_rub_max ограничивает ' +
        'весь запуск.',
      fix: ['Сократите входные данные или уменьшите max_output_tokens шага.'],
    },
  },
  blueprint_step_cost_unbounded: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The most that the step {step} can cost with this model is not known.',
    cause: 'The step has no max_output_tokens, or the model has no price for what it can use.',
    fix: ['State max_output_tokens in the step.', 'Choose a model that has a price today.'],
    ru: {
      message: 'Неизвестно, сколько самое большее может стоить шаг {step} с этой моделью.',
      cause: 'У шага нет max_output_tokens или у модели нет цены на то, что она может потратить.',
      fix: ['Укажите в шаге max_output_tokens.', 'Выберите модель, у которой сегодня есть цена.'],
    },
  },
  blueprint_run_cost_exceeded: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The run has cost {spent} RUB, and the manifest allows {allowed}.',
    cause: 'The cost of the steps so far reached run_rub_max of the manifest.',
    fix: ['Give a shorter input.'],
    ru: {
      message: 'Запуск стоил {spent} ₽, а манифест разрешает {allowed} ₽.',
      cause: 'Стоимость выполненных шагов достигла run_rub_max манифеста.',
      fix: ['Сократите входные данные.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
