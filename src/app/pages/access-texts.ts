import { type Html, html } from '../../kernel/html.js';
import type { InLanguages } from '../../kernel/language/languages.js';

/** What the page of access says around its tables. */
interface AccessTexts {
  readonly title: string;
  readonly idea: Html;
  readonly holders: string;
  readonly byRole: string;
  readonly byKey: string;
  readonly permission: string;
  readonly yes: string;
  readonly no: string;
}

/** What the page of access says around its tables, by language. */
export const ACCESS: InLanguages<AccessTexts> = {
  en: {
    title: 'Access',
    idea: html`A caller is a member with a role, known by an access token, or an API key with a
type. Each operation asks for one permission; REST and GraphQL ask the same table, which is this
one. Programs read it as <code>accessTable</code>.`,
    holders: 'Roles and key types',
    byRole: 'Members, by role',
    byKey: 'API keys, by type',
    permission: 'Permission',
    yes: 'yes',
    no: 'no',
  },
  ru: {
    title: 'Доступ',
    idea: html`К API обращается либо участник со своей ролью — по токену доступа, либо ключ API
своего вида. Каждая операция требует одного разрешения; REST и GraphQL сверяются с одной и той же
таблицей — с этой. Программы читают её через <code>accessTable</code>.`,
    holders: 'Роли и виды ключей',
    byRole: 'Участники, по ролям',
    byKey: 'Ключи API, по видам',
    permission: 'Разрешение',
    yes: 'да',
    no: 'нет',
  },
};
