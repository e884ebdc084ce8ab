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
