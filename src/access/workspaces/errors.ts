import type { StatedError } from '../../kernel/errors/row.js';

/** What requests under a workspace are refused with. */
export const WORKSPACE_ERRORS = {
  workspace_not_found: {
    status: 404,
    message: 'The workspace {id} does not exist.',
    cause:
      'The header x-gw-workspace or metadata.workspace_id names no workspace of the ' +
      'organization. A request under an unknown workspace is not answered without its policy.',
    fix: ['Use an id of GET /v1/gw/workspaces.', 'Leave the header out to use no workspace.'],
    ru: {
      message: 'Рабочего пространства {id} не существует.',
      cause:
        'Заголовок x-gw-workspace или metadata.workspace_id называет пространство, которого ' +
        'в организации нет. Запрос в неизвестном пространстве без его политики не ' +
        'выполняется.',
      fix: [
        'Возьмите идентификатор из GET /v1/gw/workspaces.',
        'Уберите заголовок, чтобы не использовать пространство.',
      ],
    },
  },
  workspace_required: {
    status: 400,
    message: 'The organization requires a workspace, and the request has none.',
    cause:
      'The request names no workspace, and neither its key, its member nor its project belongs ' +
      'to one.',
    fix: [
      'Send the header x-gw-workspace or metadata.workspace_id with an id of ' +
        'GET /v1/gw/workspaces.',
      'Give the key a workspace: PATCH /api-keys/{id} with workspace_id.',
    ],
    ru: {
      message: 'Организация требует указывать рабочее пространство, а в запросе его нет.',
      cause:
        'Запрос не называет рабочее пространство, а ключ, участник и проект ни к одному не ' +
        'относятся.',
      fix: [
        'Передайте заголовок x-gw-workspace или metadata.workspace_id с идентификатором из ' +
          'GET /v1/gw/workspaces.',
        'Закрепите ключ за пространством: PATCH /api-keys/{id} с полем workspace_id.',
      ],
    },
  },
  workspace_boundary: {
    status: 403,
    message:
      'The workspaces do not match: {source} belongs to {workspace}, but {other} says ' +
      '{otherWorkspace}.',
    cause:
      'A key, its line, its member or its project belongs to a workspace and cannot act outside ' +
      'it. Everything that names a workspace must name the same one.',
    fix: [
      'Leave out the workspace: the request is made under that of its key, member or project.',
      'Use a key of the other workspace.',
      'Have someone outside all workspaces change who belongs where.',
    ],
    ru: {
      message:
        'Рабочие пространства не совпадают: {source} относится к {workspace}, а {other} — ' +
        '{otherWorkspace}.',
      cause:
        'Ключ, его цепочка, участник или проект относятся к рабочему пространству и не могут ' +
        'действовать за его пределами. Все, кто называет пространство, должны называть одно и то ' +
        'же.',
      fix: [
        'Не указывайте пространство: запрос выполнится в пространстве ключа, участника или ' +
          'проекта.',
        'Возьмите ключ другого пространства.',
        'Попросите участника вне пространств изменить закрепление.',
      ],
    },
  },
  workspace_caller_bound: {
    status: 403,
    message:
      '{source} belongs to the workspace {workspace} and cannot change what lies outside it.',
    cause:
      'Who belongs to which workspace, and which workspaces there are, is changed by callers ' +
      'outside all workspaces. A caller inside one changes only the members of that workspace, ' +
      'and withdraws only invites that lead into it. Nobody leaves a workspace by themselves.',
    fix: ['Log in as a member of no workspace, or use a key of none.'],
    ru: {
      message:
        'Действовать за пределами рабочего пространства {workspace} нельзя: к нему относится ' +
        'вызывающий ({source}).',
      cause:
        'Состав пространств и закрепление за ними меняют те, кто сам ни к одному пространству не ' +
        'относится. Тот, кто относится к пространству, меняет только его участников и отзывает ' +
        'только приглашения в него. Выйти из пространства самостоятельно нельзя.',
      fix: ['Войдите как участник вне пространств или возьмите ключ без пространства.'],
    },
  },
  workspace_policy_blocked: {
    status: 403,
    message: 'The policy of the workspace "{workspace}" does not allow this request: {reason}',
    cause:
      'The machine policy of a workspace names the data classes, actions and departments of ' +
      'requests that are made under it.',
    fix: [
      'Read the policy: GET /v1/gw/workspaces/{id}.',
      'Change it: PATCH /v1/gw/workspaces/{id}, or POST /v1/gw/workspaces/{id}/departments.',
    ],
    ru: {
      message: 'Политика рабочего пространства «{workspace}» не разрешает этот запрос: {reason}',
      cause:
        'Машинная политика пространства перечисляет классы данных, действия и отделы ' +
        'запросов, которые в нём выполняются.',
      fix: [
        'Прочитайте политику: GET /v1/gw/workspaces/{id}.',
        'Измените её: PATCH /v1/gw/workspaces/{id} или POST /v1/gw/workspaces/{id}/departments.',
      ],
    },
  },
  workspace_user_required: {
    status: 400,
    message: 'The workspace "{workspace}" has budgets of users, and the request names no user.',
    cause: 'Spending is counted for each user; a key does not say who of its users asks.',
    fix: ['Send metadata.user_id with the request; a member is its own user.'],
    ru: {
      message:
        'В рабочем пространстве «{workspace}» бюджеты заданы на пользователя, а запрос ' +
        'пользователя не называет.',
      cause: 'Расходы считаются по каждому пользователю; ключ не говорит, кто именно обращается.',
      fix: ['Передайте в запросе metadata.user_id; участник сам является своим пользователем.'],
    },
  },
  workspace_users_full: {
    status: 409,
    message:
      'The workspace "{workspace}" has had {count} users with budgets, the most it may have.',
    cause: 'Each name in metadata.user_id gets a budget of its own.',
    fix: ['Send stable names of employees in metadata.user_id.', 'Make another workspace.'],
    ru: {
      message:
        'В рабочем пространстве «{workspace}» бюджет получили уже ' +
        '{count|пользователь|пользователя|пользователей} — больше нельзя.',
      cause: 'Каждое имя в metadata.user_id получает собственный бюджет.',
      fix: [
        'Передавайте в metadata.user_id постоянные имена сотрудников.',
        'Создайте ещё одно пространство.',
      ],
    },
  },
  workspaces_full: {
    status: 409,
    message: 'The organization has {count} workspaces, the most it may have.',
    cause: 'Workspaces are not removed, so that their events stay readable.',
    fix: ['Use departments of a workspace that is there.'],
    ru: {
      message:
        'В организации уже {count|рабочее пространство|рабочих пространства|рабочих ' +
        'пространств} — больше нельзя.',
      cause: 'Пространства не удаляются, чтобы их события можно было читать.',
      fix: ['Используйте отделы имеющегося пространства.'],
    },
  },
  adoption_event_claimed: {
    status: 409,
    message: 'The event {externalRef} was recorded already.',
    cause: 'An external reference names one event of the organization.',
    fix: ['Use another external_ref for another event.'],
    ru: {
      message: 'Событие {externalRef} уже записано.',
      cause: 'Внешний номер обозначает одно событие организации.',
      fix: ['Для другого события возьмите другой external_ref.'],
    },
  },
} as const satisfies Record<string, StatedError>;
