import { type CodeOf, vocabulary } from '../vocabulary.js';
import { DATA_CLASSES, type DataClass } from './vocabulary.js';

/** Who says which class the data of a request has, in the order of receipts. */
export const DATA_CLASS_SOURCES = vocabulary(
  'DataClassSource',
  'Who says which class the data of a request has. The highest class of all sources holds.',
  [
    {
      code: 'request',
      description:
        'The request states it: in `metadata.data_class`, in `data_class` of its body, or in the ' +
        'header `x-gw-data-class`.',
    },
    {
      code: 'key',
      description: 'The key of the caller, or a key that it descends from, has a least class.',
    },
    { code: 'project_policy', description: 'A policy of the project has a least class.' },
    { code: 'workspace', description: 'The workspace of the request has a least class.' },
    {
      code: 'prompt',
      description: 'The version of the prompt that fills the request has a least class.',
    },
    {
      code: 'unread',
      description:
        'The request carries content that nothing reads; `firewall_unread` of the policies ' +
        'decides its class.',
    },
    {
      code: 'firewall',
      description: 'The firewall found it in the request, whether or not it was masked.',
    },
  ],
);

export type DataClassSource = CodeOf<typeof DATA_CLASS_SOURCES>;

/** A class with the source that says it. */
export interface SourcedClass {
  readonly source: DataClassSource;
  readonly dataClass: DataClass;
}

const RANK: Readonly<Record<DataClass, number>> = Object.fromEntries(
  DATA_CLASSES.map(({ code }, rank) => [code, rank]),
) as Record<DataClass, number>;

/** The higher of two data classes. */
export function higherDataClass(left: DataClass, right: DataClass): DataClass {
  return RANK[left] >= RANK[right] ? left : right;
}

/** The highest of several data classes; undefined without one. */
export function highestDataClass(
  classes: readonly (DataClass | null | undefined)[],
): DataClass | undefined {
  let highest: DataClass | undefined;
  for (const each of classes) {
    if (each != null) highest = highest === undefined ? each : higherDataClass(highest, each);
  }
  return highest;
}

/**
 * The class that data has by all of its sources: the highest of them, so that a source can raise
 * the class and never lower it. C0 where no source says anything.
 */
export function effectiveDataClass(sources: readonly SourcedClass[]): DataClass {
  let highest: DataClass = 'C0';
  for (const { dataClass } of sources) highest = higherDataClass(highest, dataClass);
  return highest;
}

/**
 * Data of class C3 and above stays on routes inside Russia, is kept in no cache, and nothing is
 * explored with it.
 */
export function isRestricted(dataClass: DataClass): boolean {
  return RANK[dataClass] >= RANK.C3;
}

/** The names by which the body of a request and its metadata may state a class. */
export const CLASS_MEMBERS: ReadonlySet<string> = new Set(['data_class', 'dataClass']);

/** The header by which a request may state a class. */
export const CLASS_HEADER = 'x-gw-data-class';

const CLASS_NAME = /^(?:x[\W_]*)?(?:gw[\W_]*)?data[\W_]*class(?:[\W_]*min)?$/i;
const CLASS_NAME_CHARACTERS_MAX = 32;

/** True for a name by which somebody means to state a class of data, however it is spelt. */
export function meansDataClass(name: string): boolean {
  return name.length <= CLASS_NAME_CHARACTERS_MAX && CLASS_NAME.test(name);
}
