import type { ErrorRow } from '../../kernel/errors/row.js';

/** Prompt packages and their use in chat requests. */
export const PROMPT_ERRORS = {
  prompt_render_failed: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The template of the prompt cannot be rendered: {reason}.',
    cause: 'The template is faulty with these values, or its rendering passes a limit.',
    fix: ['Correct the template in a new version, or the values.'],
    ru: {
      message: 'Шаблон промпта не удаётся собрать: {reason}.',
      cause: 'С этими значениями в шаблоне ошибка, или результат превышает предел.',
      fix: ['Исправьте шаблон в новой версии или исправьте значения.'],
    },
  },
  prompt_variables_missing: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The template uses variables that have no value: {variables}.',
    cause: 'Every variable that a template reads needs a value or a declared default.',
    fix: ['Send the variables, or declare them with a default in a new version.'],
    ru: {
      message: 'У переменных шаблона нет значений: {variables}.',
      cause:
        'Каждой переменной, которую читает шаблон, нужно значение или объявленное значение ' +
        'по умолчанию.',
      fix: ['Передайте переменные или объявите им значение по умолчанию в новой версии.'],
    },
  },
  prompt_key_taken: {
    status: 409,
    type: 'conflict_error',
    message: 'The organization has a prompt package with the key {key} already.',
    cause: 'A prompt key is unique in the organization, since requests name prompts by it.',
    fix: ['Add a version to the package of this key, or choose another key.'],
    ru: {
      message: 'В организации уже есть пакет промптов с ключом {key}.',
      cause: 'Ключ промпта уникален в организации, потому что запросы называют промпты по нему.',
      fix: ['Добавьте версию в пакет с этим ключом или выберите другой ключ.'],
    },
  },
  prompt_without_version: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The prompt package {key} has no version yet.',
    cause: 'A package is tested and promoted by its versions.',
    fix: ['Add a version: POST /v1/gw/prompts/{id}/versions with a template.'],
    ru: {
      message: 'В пакете промптов {key} пока нет ни одной версии.',
      cause: 'Пакет проверяют и продвигают по версиям.',
      fix: ['Добавьте версию: POST /v1/gw/prompts/{id}/versions с шаблоном.'],
    },
  },
  prompt_gate_missing: {
    status: 422,
    type: 'invalid_request_error',
    message: 'Version {version} cannot go to {to}: {reason}. Run POST /v1/gw/prompts/{id}/test.',
    cause:
      'Staging and production need that the latest gate run of that very version did not fail, ' +
      'production also that it passed. A check that is not measured fails where there is an ' +
      'output schema, a case or a version in production to prove.',
    fix: [
      'Where the gate has not run, run POST /v1/gw/prompts/{id}/test with this version.',
      'Where a check is not measured, evaluate the version with POST ' +
        '/v1/gw/prompts/{id}/evaluations, then run the gate again.',
      'Where a check fails, its message says why; correct it in a new version.',
    ],
    ru: {
      message:
        'Версию {version} нельзя продвинуть в {to}: {reason}. Выполните POST ' +
        '/v1/gw/prompts/{id}/test.',
      cause:
        'Для staging и production нужно, чтобы последняя проверка именно этой версии не ' +
        'завершилась отказом, а для production — чтобы она прошла. Неизмеренный пункт считается ' +
        'отказом, если есть схема результата, пример или версия в production.',
      fix: [
        'Если проверки ещё не было, выполните POST /v1/gw/prompts/{id}/test с этой версией.',
        'Если пункт не измерен, прогоните версию через POST /v1/gw/prompts/{id}/evaluations и ' +
          'повторите проверку.',
        'Если пункт не прошёл, его сообщение говорит почему; исправьте это в новой версии.',
      ],
    },
  },
  prompt_gate_not_measured: {
    status: 422,
    type: 'invalid_request_error',
    message: 'Version {version} cannot go to production: its gate proved nothing. {missing}',
    cause:
      'Production needs recorded runs of that very version over a stored set of cases. That the ' +
      'template is well-formed is not enough, and samples that somebody states prove nothing.',
    fix: [
      'Store cases with POST /v1/gw/prompts/{id}/case-sets.',
      'Evaluate the version with POST /v1/gw/prompts/{id}/evaluations.',
      'Run POST /v1/gw/prompts/{id}/test, and promote the version when it passes.',
    ],
    ru: {
      message:
        'Версию {version} нельзя продвинуть в production: её проверка ничего не доказала. ' +
        '{missing}',
      cause:
        'Для production нужны записанные прогоны именно этой версии на сохранённом наборе ' +
        'примеров. Того, что шаблон составлен правильно, мало, а заявленные образцы ничего не ' +
        'доказывают.',
      fix: [
        'Сохраните примеры через POST /v1/gw/prompts/{id}/case-sets.',
        'Прогоните версию через POST /v1/gw/prompts/{id}/evaluations.',
        'Выполните POST /v1/gw/prompts/{id}/test и продвиньте версию, когда проверка пройдёт.',
      ],
    },
  },
  prompt_gate_stale: {
    status: 409,
    type: 'conflict_error',
    message:
      'Version {version} cannot go to production: what its gate judged is no longer what is ' +
      'recorded. Run POST /v1/gw/prompts/{id}/test.',
    cause:
      'Since that gate run another version went to production, another evaluation completed or ' +
      'another case set was stored.',
    fix: ['Run the gate again, and promote the version when it passes.'],
    ru: {
      message:
        'Версию {version} нельзя продвинуть в production: записано уже не то, по чему судила её ' +
        'проверка. Выполните POST /v1/gw/prompts/{id}/test.',
      cause:
        'После той проверки в production вышла другая версия, завершился другой прогон или был ' +
        'сохранён другой набор примеров.',
      fix: ['Повторите проверку и продвиньте версию, когда она пройдёт.'],
    },
  },
  prompt_cases_replaced: {
    status: 409,
    type: 'conflict_error',
    message:
      'Version {version} cannot go to production: its cases do not hold all those of case set ' +
      '{set}, by which version {production} went there.',
    cause:
      'The latest case set has other or fewer cases or asks for less, or too few of the earlier ' +
      'cases pass. Only a member who may approve (approvals.decide) replaces them.',
    fix: [
      'Store a case set that has the earlier cases and yours, and evaluate the version over it.',
      'Or let a member with the right approvals.decide promote the version.',
    ],
    ru: {
      message:
        'Версию {version} нельзя продвинуть в production: среди её примеров нет всех примеров ' +
        'набора {set}, по которому туда вышла версия {production}.',
      cause:
        'В последнем наборе другие или не все примеры, либо он требует меньшего, либо прежние ' +
        'примеры не проходят. Заменить их может только участник с правом approvals.decide.',
      fix: [
        'Сохраните набор с прежними примерами и своими и прогоните по нему версию.',
        'Или пусть версию продвинет участник с правом approvals.decide.',
      ],
    },
  },
  prompt_gate_unfinished: {
    status: 503,
    type: 'api_error',
    message: 'The gate did not come to an end: {what} took longer than {limitMs} ms.',
    cause:
      'The server is busy, or a pattern of the output schema or a loop of the template is very ' +
      'slow. Nothing was sealed.',
    fix: ['Run the gate again.', 'Where it happens again, simplify the pattern or the loop.'],
    ru: {
      message: 'Проверка не закончилась ({what}): она заняла больше {limitMs} мс.',
      cause:
        'Сервер занят, или слишком медленны регулярное выражение схемы результата либо цикл ' +
        'шаблона. Ничего не запечатано.',
      fix: ['Запустите проверку снова.', 'Если это повторяется, упростите выражение или цикл.'],
    },
  },
  prompt_no_previous_version: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The prompt package {key} has no version before the one that is current.',
    cause: 'A rollback and a comparison go back to an earlier version, and there is none left.',
    fix: ['Add a version and promote it; GET /v1/gw/prompts/{id} shows the history.'],
    ru: {
      message: 'В пакете промптов {key} нет версии раньше текущей.',
      cause: 'Откат и сравнение обращаются к более ранней версии, а её нет.',
      fix: ['Добавьте версию и продвиньте её; историю показывает GET /v1/gw/prompts/{id}.'],
    },
  },
  prompt_not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'No prompt with the key {key}.',
    cause: 'No prompt package of your organization has this key.',
    fix: ['Use a prompt_key of GET /v1/gw/prompts, or create the package with POST.'],
    ru: {
      message: 'Промпта с ключом {key} нет.',
      cause: 'Ни у одного пакета промптов вашей организации нет такого ключа.',
      fix: ['Возьмите prompt_key из GET /v1/gw/prompts или создайте пакет через POST.'],
    },
  },
  prompt_version_not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'The prompt {key} has no version {version}.',
    cause: 'The request names a version that was never written.',
    fix: ['Use a version of GET /v1/gw/prompts/{id}/versions, or leave the version out.'],
    ru: {
      message: 'У промпта {key} нет версии {version}.',
      cause: 'Запрос называет версию, которой никогда не было.',
      fix: ['Возьмите версию из GET /v1/gw/prompts/{id}/versions или не указывайте её.'],
    },
  },
  prompt_not_in_production: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The prompt {key} has no version in production.',
    cause: 'A request that names no version uses the one in production, and there is none.',
    fix: ['Promote a version with POST /v1/gw/prompts/{id}/promote.', 'Or name a version.'],
    ru: {
      message: 'У промпта {key} нет версии в production.',
      cause: 'Запрос без версии использует ту, что в production, а её нет.',
      fix: [
        'Продвиньте версию через POST /v1/gw/prompts/{id}/promote.',
        'Или укажите версию явно.',
      ],
    },
  },
  prompt_version_deprecated: {
    status: 422,
    type: 'invalid_request_error',
    message: 'Version {version} of the prompt {key} was retired.',
    cause: 'A version that was promoted out of production serves no request any more.',
    fix: ['Name another version, or leave the version out to use the one in production.'],
    ru: {
      message: 'Версия {version} промпта {key} выведена из работы.',
      cause: 'Версия, которую сменили в production, больше не обслуживает запросы.',
      fix: [
        'Назовите другую версию или не указывайте её, чтобы использовать ту, что в production.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
