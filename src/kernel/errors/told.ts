import type { InLanguages, Language } from '../language/languages.js';
import { Phrases } from '../language/phrases.js';
import { filled, type PlaceValues } from '../language/template.js';
import type { Fault, GatewayError } from './fail.js';
import { EXPECTED_PHRASES, FAULT_PHRASES } from './fault-phrases.js';
import { PLACE_PHRASES } from './place-phrases.js';
import { CAUSE_PHRASES } from './quoting-fault-phrases.js';
import type { ErrorRow, ErrorTexts } from './row.js';
import { summaryOf } from './summary.js';

/** What a caller reads of a failure. */
export interface Told {
  readonly message: string;
  readonly faults: readonly Fault[] | undefined;
}

const FAULTS = new Phrases('ru', FAULT_PHRASES, {
  what: new Phrases('ru', EXPECTED_PHRASES),
  why: new Phrases('ru', CAUSE_PHRASES),
});

const PLACES = new Map(
  Object.entries(PLACE_PHRASES).map(([place, rows]) => [place, new Phrases('ru', rows)]),
);

/** How a fault, and what fills a place, are said. The code says both in English. */
const WORDS: InLanguages<{
  fault(message: string): string;
  value(place: string, value: PlaceValues[string]): PlaceValues[string];
}> = {
  en: {
    fault: (message) => message,
    value: (_place, value) => value,
  },
  ru: {
    fault: (message) => FAULTS.find(message) ?? message,
    value: (place, value) =>
      typeof value === 'string' ? (PLACES.get(place)?.find(value) ?? value) : value,
  },
};

/** The texts of a row of the catalogue in a language. */
function textsIn(row: ErrorRow, language: Language): ErrorTexts {
  return language === 'en' ? row : row[language];
}

/** The texts of a row as documents show them, the names of the places standing for values. */
export function describedIn(row: ErrorRow, language: Language): ErrorTexts {
  const { message, cause, fix } = textsIn(row, language);
  return { message: filled(message, {}, language), cause, fix };
}

/**
 * A failure in a language. What the code says of special cases alone stays English.
 * @param faults its faults, their paths as the caller wrote them
 */
export function told(
  { row, details }: GatewayError,
  language: Language,
  faults: readonly Fault[] | undefined = details.faults,
): Told {
  const words = WORDS[language];
  const shown = faults?.map((fault) => ({ ...fault, message: words.fault(fault.message) }));
  const entries = Object.entries(details.values ?? {}).map(([place, value]) => [
    place,
    words.value(place, value),
  ]);
  const values: PlaceValues = {
    ...Object.fromEntries(entries),
    ...(shown && {
      summary: summaryOf(
        shown.map(({ message }) => message),
        language,
      ),
    }),
  };
  return { message: filled(textsIn(row, language).message, values, language), faults: shown };
}
