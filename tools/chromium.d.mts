/** What to do where there is no Chromium. */
export const NO_CHROMIUM: string;

/**
 * The path of a Chromium: the stated one, by default what CHROMIUM_PATH names, else one of the
 * usual places. Undefined where there is none, or where CHROMIUM_PATH is empty.
 * @throws Error when CHROMIUM_PATH names no program
 */
export function findChromium(stated?: string): string | undefined;
