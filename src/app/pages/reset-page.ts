import { html } from '../../kernel/html.js';
import type { InLanguages } from '../../kernel/language/languages.js';
import { page } from './layout.js';
import { madeOnce } from './reading.js';

const TEXTS: InLanguages<Readonly<Record<string, string>>> = {
  en: {
    title: 'A new password',
    idea: 'The link works once. All your sessions end when the password is set.',
    label: 'New password, 10 to 256 characters',
    set: 'Set the password',
    done: 'The password is set. You can log in with it.',
    failed: 'The gateway could not be reached. Try again.',
    noToken: 'This page is opened by a link for a new password, and this address has none.',
  },
  ru: {
    title: 'Новый пароль',
    idea: 'Ссылка действует один раз. Когда пароль будет задан, все ваши входы завершатся.',
    label: 'Новый пароль, от 10 до 256 символов',
    set: 'Задать пароль',
    done: 'Пароль задан. Войдите с ним.',
    failed: 'Шлюз не отвечает. Попробуйте ещё раз.',
    noToken: 'Эту страницу открывают по ссылке для нового пароля, а в этом адресе её нет.',
  },
};

/**
 * The page that a link for a new password opens. The token stands behind `#`, which browsers send
 * to no server; the page never leads anywhere else with it.
 */
export const resetPage = madeOnce((reading) => {
  const { title, idea, label, set, done, failed, noToken } = TEXTS[reading.language];
  const words = JSON.stringify({ done, failed, noToken });
  return page(reading, {
    title: title ?? '',
    path: '',
    scripts: ['/assets/reset.js'],
    content: html`<h1>${title}</h1>
<p>${idea}</p>
<form id="reset" class="form" data-words="${words}">
<label for="password">${label}</label>
<input id="password" type="password" autocomplete="new-password"
 minlength="10" maxlength="256" required>
<button type="submit">${set}</button>
</form>
<p id="told" role="status"></p>`,
  });
});
