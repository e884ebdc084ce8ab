import { yamlFile } from '../../platform/data-file.js';
import type { CatalogueProvider } from './catalogue-entry.js';
import { readCatalogue } from './providers-file.js';

const FILE = 'src/catalog/providers/catalogue.yaml';

const BUILT_IN = readCatalogue(yamlFile(FILE), FILE);

/** The built-in providers of the market, in the order in which they are listed. */
export const CATALOGUE = BUILT_IN.filter(({ protocol }) => protocol !== 'in_process');

/** The built-in provider whose answers are made up. */
export const SANDBOX_PROVIDER = sandboxOf(BUILT_IN);

function sandboxOf(entries: readonly CatalogueProvider[]): CatalogueProvider {
  const sandbox = entries.find(({ protocol }) => protocol === 'in_process');
  if (!sandbox) throw new Error(`${FILE} has no provider that answers in process`);
  return sandbox;
}
