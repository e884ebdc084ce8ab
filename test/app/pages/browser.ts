import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { findChromium, NO_CHROMIUM } from '../../../tools/chromium.mjs';

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Where pictures go; git ignores it. */
const PICTURES = join(projectRoot(), '.cache', 'look');

/** The widths at which pages are read: of a phone and of a desk. */
const SIZES = {
  phone: { width: 390, height: 844 },
  desk: { width: 1280, height: 860 },
} as const;

/** How a page is opened. */
export interface View {
  readonly size: keyof typeof SIZES;
  readonly colorScheme: 'light' | 'dark';
}

/** A page in a browser of its own memory, with what went wrong in it. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals of the content security policy, and requests that failed. */
  readonly faults: string[];
}

/** Starts the installed Chromium. @throws Error where there is none */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(NO_CHROMIUM);
  // Run as root, as in a container, Chromium has no sandbox. It opens pages of this server alone.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args });
}

/** Opens a page and waits until it is quiet. */
export async function open(browser: Browser, address: string, view: View): Promise<Opened> {
  const { size, colorScheme } = view;
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(origin)) faults.push(`another host: ${url}`);
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  return { page, context, faults };
}

/** Of a long page the rest looks like what is there already. */
const PICTURE_HEIGHT_MAX = 2_600;

/** Keeps a picture of the page, from its top. */
export async function takePicture(page: Page, name: string, view: View): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const path = join(PICTURES, `${name}-${view.size}-${view.colorScheme}.png`);
  const { width } = SIZES[view.size];
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  const height = Math.min(whole, PICTURE_HEIGHT_MAX);
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width, height } });
}

/**
 * What axe finds, one line for each place. `except` are selectors of what others have written: it
 * is served as it comes, and a finding in it is theirs to mend.
 */
export async function accessFindings(page: Page, except: readonly string[] = []) {
  await page.evaluate(AXE);
  return page.evaluate(async (exclude) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ exclude: [...exclude] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
    );
  }, except);
}

/** By how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
