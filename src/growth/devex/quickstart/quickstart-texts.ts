import type { InLanguages } from '../../../kernel/language/languages.js';
import type { CodeOf } from '../../../kernel/vocabulary.js';
import { SNIPPET_CHECKS, STACKS } from '../vocabulary.js';

/** What a quickstart says besides its code. */
interface QuickstartTexts {
  readonly stacks: Readonly<Record<CodeOf<typeof STACKS>, string>>;
  readonly checks: Readonly<Record<CodeOf<typeof SNIPPET_CHECKS>, string>>;
  readonly address: string;
  readonly hand: string;
  readonly handNote: string;
  readonly install: string;
  readonly save: (file: string) => string;
  readonly receipts: string;
  readonly receiptsNote: string;
  readonly own: { readonly name: string; readonly about: string };
}

/** The descriptions of a vocabulary, which is English, by its codes. */
function described<C extends string>(
  rows: readonly { readonly code: C; readonly description: string }[],
): Readonly<Record<C, string>> {
  const entries = rows.map(({ code, description }) => [code, description]);
  return Object.fromEntries(entries) as Record<C, string>;
}

/** What a quickstart says besides its code, by language. */
export const QUICKSTARTS: InLanguages<QuickstartTexts> = {
  en: {
    stacks: described(STACKS.rows),
    checks: described(SNIPPET_CHECKS.rows),
    address: 'Say where the gateway is.',
    hand: 'Hand the key to your code.',
    handNote: 'Keep it out of the code.',
    install: 'Get what the snippet needs.',
    save: (file) => `Save the snippet as ${file}, and run it.`,
    receipts: 'Read the receipts of the answer.',
    receiptsNote:
      'gw_routing says which model was chosen and why, gw_slo how long it took, gw_firewall ' +
      'what was found; GET /usage and GET /billing/ledger show what it cost.',
    own: { name: 'This quickstart', about: 'The same as text.' },
  },
  ru: {
    stacks: {
      python: 'Python с пакетом openai.',
      node: 'Node.js с пакетом openai.',
      curl: 'Командная строка с curl и больше ничего.',
      go: 'Go со стандартной библиотекой.',
      java: 'Java 17 или новее со стандартной библиотекой.',
      php: 'PHP 8 с расширением curl.',
      langchain: 'LangChain.js с клиентом формата chat completions.',
      'vercel-ai-sdk': 'Vercel AI SDK с провайдером для совместимых серверов.',
      n8n: 'Сценарий n8n, который импортируется из файла.',
    },
    checks: {
      executed: 'Тесты шлюза выполняют этот код дословно на работающем сервере.',
      parsed: 'Тесты шлюза разбирают этот код парсером языка, но не выполняют.',
    },
    address: 'Укажите адрес шлюза.',
    hand: 'Передайте ключ программе.',
    handNote: 'В самом коде ключа быть не должно.',
    install: 'Установите то, что нужно примеру.',
    save: (file) => `Сохраните пример в файл ${file} и запустите его.`,
    receipts: 'Прочитайте квитанции в ответе.',
    receiptsNote:
      'gw_routing показывает, какая модель выбрана и почему, gw_slo — сколько времени занял ' +
      'ответ, gw_firewall — что найдено в данных; стоимость видна в GET /usage и GET ' +
      '/billing/ledger.',
    own: { name: 'Этот быстрый старт', about: 'То же самое текстом.' },
  },
};
