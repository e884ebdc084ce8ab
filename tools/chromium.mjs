// Where the browser is that the pages are looked at with. Nothing downloads one.
import { accessSync, constants } from 'node:fs';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** What to do where there is none. */
export const NO_CHROMIUM =
  'no Chromium is installed here: install one (Debian: apt-get install chromium), ' +
  'or name one by CHROMIUM_PATH';

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path of a Chromium: the one that CHROMIUM_PATH names, else one of the usual places. Undefined
 * where there is none; `CHROMIUM_PATH=` (empty) says that none shall be used.
 * @throws Error when CHROMIUM_PATH names no program
 */
export function findChromium(stated = process.env.CHROMIUM_PATH) {
  if (stated === '') return undefined;
  if (stated === undefined) return USUAL_PLACES.find(isProgram);
  if (isProgram(stated)) return stated;
  throw new Error(`CHROMIUM_PATH names no program: ${stated}`);
}
