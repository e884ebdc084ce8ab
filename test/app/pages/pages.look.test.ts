import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/kernel/language/languages.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { accessFindings, open, openBrowser, overflow, takePicture, type View } from './browser.js';

let app: TestApp;
let customer: Customer;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), openBrowser()]);
  customer = await newCustomer(app, 500);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

/** A browser on a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const VIEWS: readonly View[] = [
  { size: 'phone', colorScheme: 'light' },
  { size: 'desk', colorScheme: 'light' },
  { size: 'desk', colorScheme: 'dark' },
];
const PHONE: View = { size: 'phone', colorScheme: 'light' };
const DESK: View = { size: 'desk', colorScheme: 'light' };

/**
 * `filled` is there once the page has what it shows. `except` is what Scalar and GraphiQL draw,
 * also outside of their place: their markup comes from their packages as it is.
 */
const PAGES = [
  { name: 'start', path: '/', filled: '.copy' },
  { name: 'reference', path: '/docs', filled: '#root h1', except: ['#root', '.scalar-app'] },
  {
    name: 'explorer',
    path: '/graphiql',
    filled: '#root .graphiql-execute-button',
    except: ['#root', '.monaco-aria-container', '.graphiql-dialog'],
  },
  { name: 'errors', path: '/docs/errors', filled: 'tbody tr' },
  { name: 'error', path: '/docs/errors/not_found', filled: '.copy' },
  { name: 'access', path: '/docs/access', filled: 'tbody tr' },
  { name: 'cockpit', path: '/cockpit', filled: 'tbody tr' },
  { name: 'nowhere', path: '/nowhere', filled: 'h1' },
];
/** The tools are megabytes of scripts, so that they are looked at twice and not three times. */
const CASES = PAGES.flatMap((each) =>
  VIEWS.filter(({ size, colorScheme }) =>
    each.except ? (size === 'phone') === (colorScheme === 'light') : true,
  ).flatMap((view) =>
    LANGUAGES.map((language) => ({
      ...each,
      path: `${each.path}?lang=${language}`,
      name: `${each.name}-${language}`,
      view,
      language,
      shown: `${view.size}, ${view.colorScheme}`,
    })),
  ),
);

/** For keyboards the first stop of the page leads past its header. */
async function skipsTheHeader(page: Page): Promise<void> {
  await page.locator('.site-header .mark').focus();
  await page.keyboard.press('Shift+Tab');
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('skip');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
}

describe('every page in a browser', () => {
  it.each(CASES)(
    '$path, $shown: fits, asks no other host, has no barrier, and a way past the header',
    async ({ name, path, filled, view, language, except = [] }) => {
      const { page, context, faults } = await open(browser, app.url + path, view);
      await page.waitForSelector(filled);
      await takePicture(page, name, view);
      expect(await page.locator('.site-header nav:not(.languages) a').count()).toBe(6);
      expect(await page.locator('.languages [aria-current]').getAttribute('lang')).toBe(language);
      // What Scalar and GraphiQL draw rounds to a few pixels more on a phone.
      expect(await overflow(page)).toBeLessThanOrEqual(except.length > 0 ? 8 : 0);
      expect(await accessFindings(page, except)).toEqual([]);
      await skipsTheHeader(page);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  it('copies the first request by its button', async () => {
    const { page, context } = await open(browser, `${app.url}/`, PHONE);
    const block = page.locator('.copyable', { hasText: 'accessToken' });
    await block.locator('.copy').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => block.locator('.copy').textContent()).toBe('Copied');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await block.locator('pre').textContent());
    await context.close();
  });
});

/** What the cockpit says of a run with simulated answers, and where it shows a report of it. */
const RAN = {
  en: {
    pass: 'pass',
    simulated: 'pass (simulated)',
    notice: /^simulated/,
    gone: /nothing any more/,
  },
  ru: {
    pass: 'пройдена',
    simulated: 'пройдена (имитация)',
    notice: /^Имитация/,
    gone: /больше ничего не показывает/,
  },
};

describe('the cockpit in a browser', () => {
  it.each(LANGUAGES)(
    'runs in %s by keyboard, says simulated and what is left to do, and shares the run',
    async (language) => {
      const words = RAN[language];
      const start = `${app.url}/cockpit?lang=${language}`;
      const { page, context, faults } = await open(browser, start, PHONE);
      await page.locator('#key').focus();
      await page.keyboard.type(customer.key);
      await page.keyboard.press('Enter');
      await page.waitForSelector('#readiness:not([hidden])');
      const statuses = await page.locator('[data-part="status"]').allTextContents();
      const ofModels = Array(4).fill(words.simulated);
      expect(statuses).toEqual([words.pass, words.pass, ...ofModels, words.pass]);
      // Checks are no live use, so that they close nothing; the service key does.
      expect(await page.locator('#items .yes').count()).toBe(1);
      expect(await page.locator('#items li').count()).toBe(7);
      await page.locator('#open-link').focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('#link-line:not([hidden])');
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const said = await page.locator('main').innerText();
      expect(language === 'ru' ? /[а-яё]/i.test(said) : !/[а-яё]/i.test(said)).toBe(true);
      const address = (await page.locator('#link').getAttribute('href')) ?? '';
      await takePicture(page, `cockpit-ran-${language}`, PHONE);
      await page.setViewportSize({ width: 1280, height: 860 });
      await takePicture(page, `cockpit-ran-${language}`, DESK);
      expect(await accessFindings(page)).toEqual([]);
      const there = app.url + new URL(address).pathname;
      await seesReport(`${there}?lang=${language}`, language);
      await page.locator('#take-link').click();
      await expect.poll(() => page.locator('#shared').textContent()).toMatch(words.gone);
      expect((await fetch(there)).status).toBe(404);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});

/** The report of the run in every view. */
async function seesReport(address: string, language: Language): Promise<void> {
  for (const view of VIEWS) {
    const report = await open(browser, address, view);
    await takePicture(report.page, `report-${language}`, view);
    expect(await report.page.locator('.notice').textContent()).toMatch(RAN[language].notice);
    expect(await overflow(report.page)).toBeLessThanOrEqual(0);
    expect(await accessFindings(report.page)).toEqual([]);
    expect(report.faults).toEqual([]);
    await report.context.close();
  }
}
