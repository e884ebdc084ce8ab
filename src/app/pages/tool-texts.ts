import type { InLanguages } from '../../kernel/language/languages.js';

/** What stands around the tools, and what their scripts say. */
interface ToolTexts {
  /** What the tool itself says in another language than its page. */
  readonly note?: string;
  readonly reference: { readonly server: string };
  readonly explorer: { readonly credential: string; readonly help: string };
}

/** What stands around the tools, by language. */
export const TOOLS: InLanguages<ToolTexts> = {
  en: {
    reference: { server: 'This server' },
    explorer: {
      credential: 'Put a key or an access token behind Bearer in the headers below.',
      help: 'The schema can be read without one: Ctrl+Space completes, the book icon explains.',
    },
  },
  ru: {
    note: 'Сам инструмент и описания, взятые из схемы API, — на английском языке.',
    reference: { server: 'Этот сервер' },
    explorer: {
      credential: 'Впишите ключ или токен доступа после слова Bearer в заголовках ниже.',
      help: 'Схему можно читать и без него: Ctrl+Space подсказывает, значок книги объясняет.',
    },
  },
};
