import type { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isUuid } from '../ids.js';

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME =
  /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
const DAY_LENGTH = 10;
const LAST_MINUTE = 24 * 60 - 1;

function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, DAY_LENGTH) === text;
}

/** An instant of RFC 3339; a leap second stands only at the end of a day in UTC. */
function isInstant(text: string): boolean {
  const separator = text.charAt(DAY_LENGTH);
  if (separator !== 'T' && separator !== 't') return false;
  const time = TIME.exec(text.slice(DAY_LENGTH + 1));
  if (!time || !isDay(text.slice(0, DAY_LENGTH))) return false;
  const [, hours, minutes, seconds, sign, offsetHours = 0, offsetMinutes = 0] = time;
  if (seconds !== '60') return true;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const minute = Number(hours) * 60 + Number(minutes) - offset;
  return (minute + LAST_MINUTE + 1) % (LAST_MINUTE + 1) === LAST_MINUTE;
}

/**
 * The formats that every place takes, in one definition: days and instants of RFC 3339, and UUIDs
 * of RFC 9562.
 */
const EXACT: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  date: isDay,
  'date-time': isInstant,
};

/** The names of the formats that every place takes. */
export const EXACT_FORMATS: readonly string[] = Object.keys(EXACT);

/** Teaches a compiler every format, those that every place takes by their one definition. */
export function teachFormats(compiler: Ajv2020): void {
  // The type of the module's default export differs between module systems.
  (addFormats as unknown as (target: Ajv2020) => void)(compiler);
  for (const [name, validate] of Object.entries(EXACT)) compiler.addFormat(name, validate);
}
