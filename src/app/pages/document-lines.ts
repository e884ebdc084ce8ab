import { documentsIn } from '../../growth/devex/documents.js';
import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import { linkFrom, type Reading } from './reading.js';

/** Every document for programs, with the path by which a page that is read so leads to it. */
export function documentTiles(reading: Reading) {
  return documentsIn(reading.language).map(({ path, isTranslated, name, about }) => ({
    path: isTranslated ? linkFrom(reading, path) : path,
    name,
    about,
  }));
}

/** Every document for programs in a line, but the one that lists them. */
export function documentLines(own: string, reading: Reading): string[] {
  return documentTiles(reading)
    .filter(({ path }) => path !== linkFrom(reading, own))
    .map(({ path, name, about }) => `- [${name}](${BASE_URL_PLACE}${path}): ${about}`);
}
