import type { InLanguages, Language } from '../../../kernel/language/languages.js';
import { printable } from './snippets.js';

interface Told {
  readonly title: string;
  /** What is to be known of it; empty where the title says all. */
  readonly note: string;
}

/** A step on the way to the first answer. */
interface AccountStep extends InLanguages<Told> {
  /** What a shell runs, with the address in `$GW`. */
  readonly command: string;
}

/** What has to be there before a first request: an organization, a key and funds. */
const ACCOUNT_STEPS: readonly AccountStep[] = [
  {
    en: {
      title: 'Register, or log in where you have.',
      note: 'The answer holds an access token.',
    },
    ru: {
      title: 'Зарегистрируйтесь или войдите, если учётная запись уже есть.',
      note: 'В ответе придёт токен доступа.',
    },
    command: `ACCOUNT='{
  "email": "owner@example.com",
  "password": "correct horse battery",
  "organization": "My company"
}'
enter() {
  curl -s "$GW/auth/$1" -H 'content-type: application/json' -d "$ACCOUNT" |
    sed -nE 's/.*"accessToken":"([^"]+)".*/\\1/p'
}
TOKEN=$(enter register)
TOKEN=\${TOKEN:-$(enter login)}`,
  },
  {
    en: { title: 'Create a key.', note: 'Its value is shown this once.' },
    ru: { title: 'Создайте ключ.', note: 'Его значение показывается только один раз.' },
    command: `KEY=$(curl -s "$GW/api-keys" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"keyType": "standard", "name": "first key"}' | sed -E 's/.*"key":"([^"]+)".*/\\1/')`,
  },
  {
    en: {
      title: 'Top up by hand.',
      note: 'A production server answers 403 here unless its operator allows it.',
    },
    ru: {
      title: 'Пополните счёт вручную.',
      note: 'Рабочий сервер ответит 403, если оператор не разрешил ручное пополнение.',
    },
    command: `curl -s "$GW/billing/top-up/manual" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' -d '{"amount_rub": 500}'`,
  },
];

/** The steps before a first request as they are told in a language; commands are the same. */
export function accountSteps(language: Language): readonly (Told & { readonly command: string })[] {
  return ACCOUNT_STEPS.map(({ command, [language]: told }) => ({ ...told, command }));
}

/** Tells a shell the address; in quotes, and nothing in it can be read as a command. */
export function addressLine(baseUrl: string): string {
  return `GW='${printable(baseUrl)}'`;
}
