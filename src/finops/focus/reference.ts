import type { Field } from '../../kernel/fields/field.js';
import { code, fieldTable, flag, integer, optional, text } from '../../kernel/fields/field.js';
import { vocabulary } from '../../kernel/vocabulary.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { FOCUS_CHARGE, FOCUS_OWN } from './tables.js';
import {
  FOCUS_CHARGE_CATEGORIES,
  FOCUS_CHARGE_CLASSES,
  FOCUS_GRANULARITIES,
  FOCUS_VERSION,
} from './vocabulary.js';

/** `metadata/schema/column_definition/datatype.md` of FOCUS 1.2. */
const FOCUS_DATA_TYPES = vocabulary('FocusDataType', 'What a column of the FOCUS export holds.', [
  { code: 'STRING', description: 'Text in its own case and spacing.' },
  { code: 'DECIMAL', description: 'A number; amounts are rubles to the micro-ruble.' },
  { code: 'DATETIME', description: 'A time in UTC as YYYY-MM-DDTHH:mm:ssZ.' },
  { code: 'JSON', description: 'A flat object as JSON text.' },
  { code: 'BOOLEAN', description: 'Either true or false.' },
]);

const COLUMN = fieldTable(
  'FocusColumn',
  'The columns of the FOCUS export, as FOCUS describes a schema.',
  {
    dataType: code(FOCUS_DATA_TYPES, 'What the column holds.'),
    numberScale: optional(integer('The most decimal places of a number; null for others.')),
    isNullable: flag('Whether a row may have nothing in the column.'),
    isOwn: flag('True for a column that FOCUS does not define.'),
  },
);

const JSON_COLUMNS: readonly string[] = ['tags', 'skuPriceDetails'];
const PERIOD_COLUMN = /Period(Start|End)$/;
/** Amounts to the micro-ruble, and prices for millions of tokens: six places both. */
const SCALE = { money: 6, number: 6, bigint: 0 } as const;

/** The id of a column: the field in PascalCase, behind `x_` where FOCUS does not define it. */
function columnId(name: string): string {
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1).replace('Micro', '')}`;
  return name in FOCUS_OWN ? `x_${id}` : id;
}

function dataTypeOf(name: string, { kind }: Field): (typeof FOCUS_DATA_TYPES.codes)[number] {
  if (kind in SCALE) return 'DECIMAL';
  if (kind === 'flag') return 'BOOLEAN';
  if (PERIOD_COLUMN.test(name)) return 'DATETIME';
  return JSON_COLUMNS.includes(name) ? 'JSON' : 'STRING';
}

const COLUMNS = Object.entries(FOCUS_CHARGE.fields).map(([name, field]: [string, Field]) => ({
  code: columnId(name),
  description: field.description,
  dataType: dataTypeOf(name, field),
  numberScale: (SCALE as Readonly<Record<string, number>>)[field.kind] ?? null,
  isNullable: field.optional,
  isOwn: name in FOCUS_OWN,
}));

publishReference({
  module: 'focus',
  type: 'FocusReference',
  description:
    'The schema of the cost and usage export: version of FOCUS, columns, and the lists that they ' +
    'take their values from.',
  lists: {
    columns: rows('column', COLUMNS, COLUMN),
    chargeCategories: codes('charge_category', FOCUS_CHARGE_CATEGORIES),
    chargeClasses: codes('charge_class', FOCUS_CHARGE_CLASSES),
    granularities: codes('granularity', FOCUS_GRANULARITIES),
  },
  figures: {
    fields: { focusVersion: text('The version of FOCUS that the export follows.') },
    values: { focusVersion: FOCUS_VERSION },
  },
});
