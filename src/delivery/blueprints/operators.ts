import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How a condition compares a value with an operand. */
export const OPERATORS = vocabulary('BlueprintOperator', 'How a condition compares values.', [
  { code: 'equals', description: 'The same value.' },
  { code: 'not_equals', description: 'Another value.' },
  { code: 'in', description: 'One of a list.' },
  { code: 'above', description: 'A greater number.' },
  { code: 'below', description: 'A smaller number.' },
  { code: 'near', description: 'A number that differs by less than 0.01.' },
  { code: 'present', description: 'Neither nothing nor an empty text or list.' },
  { code: 'valid_inn', description: 'A taxpayer number whose checksum holds.' },
  {
    code: 'quoted_in',
    description:
      'Every text is a quote of the other value, word for word; case and punctuation do not ' +
      'count. At most 200 quotes are looked for.',
  },
  {
    code: 'numbers_in',
    description:
      'Every number, also one inside of a text, is written in the other value: in digits, with ' +
      '`тыс.`, `млн` or `млрд`, as a date, or as a word from one to twelve.',
  },
  { code: 'each_in', description: 'Every element is one of the other list.' },
  { code: 'distinct', description: 'No element is there twice.' },
  {
    code: 'shares_words',
    description:
      'At least half of the words of every text, or `value` percent of them (1 to 100), are in ' +
      'the other value. Words are compared by their first five letters.',
  },
  {
    code: 'related',

    description: 'In every element the two members that `value` names share a word.',
  },
  { code: 'mentions', description: 'A text matches a pattern of RE2.' },
  { code: 'lacks', description: 'No text matches a pattern of RE2.' },
  {
    code: 'intelligible',

    description:
      'Every text of at least eight words has frequent words of Russian or English: one in ' +
      'twenty. Shorter texts are not judged, and a blank one is not intelligible.',
  },
  {
    code: 'without_injection',

    description: 'The firewall finds no instructions for a model in the value.',
  },
]);

/** An operator of conditions. */
export type Operator = CodeOf<typeof OPERATORS>;

/** The operators that judge content: where there is nothing to judge, they say nothing. */
export const CONTENT_OPERATORS = [
  'quoted_in',
  'numbers_in',
  'each_in',
  'distinct',
  'shares_words',
  'related',
  'mentions',
  'lacks',
  'intelligible',
  'without_injection',
] as const satisfies readonly Operator[];

/** The operators that compare a value with a source: a check by one of them can prove a result. */
export const PROVING_OPERATORS: ReadonlySet<Operator> = new Set([
  'quoted_in',
  'numbers_in',
  'each_in',
  'shares_words',
]);

/** An operator that judges content. */
export type ContentOperator = (typeof CONTENT_OPERATORS)[number];

/** What a transform can compute. */
export const OPERATIONS = vocabulary('BlueprintOperation', 'What a transform computes.', [
  {
    code: 'count',
    description:
      'How many elements a list has, lines with text a text has, or members that say something ' +
      'an object has.',
  },
  { code: 'lines', description: 'The lines of a text that hold anything, at most 500.' },
  {
    code: 'sum_product',
    description: 'The sum of the product of two fields over a list, each rounded to a hundredth.',
  },
  { code: 'least_by', description: 'The element of a list with the least value of a field.' },
  {
    code: 'percent',
    description:
      'How many different elements a list has, in percent of those of the list `by`, rounded.',
  },
  {
    code: 'union',
    description: 'The elements of a list and those of `by`; a text counts as one element.',
  },
  {
    code: 'lookup',
    description:
      'A list, in each element of which `field` holds the element of the list `by` with that `id`.',
  },
  {
    code: 'spread_percent',
    description: 'How far the least value of a field is below the greatest, in percent.',
  },
  { code: 'join', description: 'A list as lines of one text.' },
  { code: 'amounts', description: 'Amounts in rubles that a text names, at most 100.' },
  { code: 'dates', description: 'Dates of the form DD.MM.YYYY in a text, as YYYY-MM-DD.' },
]);

/** An operation of transforms. */
export type OperationCode = CodeOf<typeof OPERATIONS>;
