import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits, oneOf } from '../../kernel/errors/faults.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { aliasNameFaults } from '../../routing/aliases/alias.rules.js';
import { CONDITIONS } from './compare.rules.js';
import { COMPARE_INPUT, type ComparisonInput } from './comparison-tables.js';
import { evaluationFaults } from './evaluation.rules.js';
import {
  CUTOVER_INPUT,
  type MigrationAlias,
  type MigrationDraft,
  PROJECT_INPUT,
  type RollbackWish,
} from './tables.js';

/** The rules of what callers send; paths are those of the arguments. */

const KEY = /^[a-z0-9][a-z0-9._-]*$/i;
const KEY_SHAPE =
  'must have letters, digits, dots, underscores and hyphens, and begin with a letter or digit';

/** Every fault of a new migration. */
export function projectFaults(draft: MigrationDraft): Fault[] {
  return onePerPath([
    ...inputFaults(PROJECT_INPUT.fields, draft, 'input'),
    ...fits('input.migrationKey', KEY.test(draft.migrationKey), KEY_SHAPE),
    ...addressFaults('input.sourceBaseUrl', draft.sourceBaseUrl),
    ...rollbackFaults('input.rollback', draft.rollback ?? {}),
    ...aliasFaults(draft.aliases ?? []),
  ]);
}

function aliasFaults(aliases: readonly MigrationAlias[]): Fault[] {
  const names = aliases.map(({ alias }) => alias);
  return aliases.flatMap(({ alias, target }, index) => {
    const path = `input.aliases.${index}`;
    return [
      ...aliasNameFaults(`${path}.alias`, alias),
      ...fits(`${path}.alias`, names.indexOf(alias) === index, 'must be named once'),
      ...fits(`${path}.target`, target !== alias, 'must be another name than the alias'),
    ];
  });
}

/** Every fault of what a comparison is made from. */
export function compareFaults(input: ComparisonInput): Fault[] {
  const { inputShare } = input;
  const isFit = inputShare === null || Number(inputShare.toFixed(4)) === inputShare;
  return onePerPath([
    ...evaluationFaults(input.evaluationSet ?? [], 'input.evaluationSet'),
    ...inputFaults(COMPARE_INPUT.fields, input, 'input'),
    ...(isFit ? [] : [fault('input.inputShare', 'out_of_range', 'has at most four places')]),
  ]);
}

/** Every fault of a request to cut over. */
export function cutoverFaults(wish: ValuesOf<typeof CUTOVER_INPUT.fields>): Fault[] {
  const codes = wish.acknowledgements.map(({ code }) => code);
  return onePerPath([
    ...inputFaults(CUTOVER_INPUT.fields, wish, 'input'),
    ...rollbackFaults('input.rollback', wish.rollback ?? {}),
    ...codes.flatMap((code, index) => {
      const path = `input.acknowledgements.${index}.code`;
      const isFirst = codes.indexOf(code) === index;
      return [...oneOf(path, code, CONDITIONS), ...fits(path, isFirst, 'must be named once')];
    }),
  ]);
}

function onePerPath(faults: readonly Fault[]): Fault[] {
  return faults.filter(({ path }, index) => faults.findIndex((one) => one.path === path) === index);
}

const NAME = /^[A-Za-z_]\w*$/;
const LOOKS_LIKE_A_KEY = /^(gw_)?(sk|pk)[-_]/i;
const NO_KEY = 'must be the name of the variable that holds the old key, never the key';

function rollbackFaults(path: string, { baseUrl, keyName }: RollbackWish): Fault[] {
  const isName = keyName == null || (NAME.test(keyName) && !LOOKS_LIKE_A_KEY.test(keyName));
  return [...addressFaults(`${path}.baseUrl`, baseUrl), ...fits(`${path}.keyName`, isName, NO_KEY)];
}

/** What may follow the address: Azure's version. Anything else may be a credential. */
const QUERY = /^(\?api-version=[\w.-]{1,40})?$/;

/** An address is never repeated in a message: it may hold what it must not hold. */
function addressFaults(path: string, text: string | null | undefined): Fault[] {
  if (text == null) return [];
  const what = 'must be an address such as https://api.example.com/v1';
  if (!URL.canParse(text)) return fits(path, false, what);
  const { protocol, username, password, search, hash } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  if (!isWeb) return fits(path, false, 'must begin with https:// or http://');
  const isBare = username === '' && password === '' && hash === '' && QUERY.test(search);
  return fits(path, isBare, 'must hold no credentials: no user, no fragment, no query');
}
