import type { Sealable } from '../canonical.js';
import { formatRub, MICRO_PER_RUB } from '../money.js';
import { isoTime } from '../time.js';
import type { Field, FieldKind, Fields, ValuesOf } from './field.js';
import { wireName } from './names.js';

/** A sealed content: wire names, and values that JSON carries exactly. */
export type SealedContent = { readonly [name: string]: Sealable };

/**
 * Values as they are sealed, in the one spelling of all kinds: snake_case names, money as decimal
 * strings of rubles, times with milliseconds and `Z`, codes as on the wire. Sealed content is
 * permanent, so this spelling is too.
 * @throws TypeError for a value that the field cannot hold
 */
export function sealedContent<F extends Fields>(fields: F, values: ValuesOf<F>): SealedContent {
  const entries = Object.entries(fields).map(([name, field]): [string, Sealable] => [
    wireName(name),
    sealedValue(field, values[name], name),
  ]);
  return Object.fromEntries(entries);
}

/**
 * The values of a sealed content. A field that is newer than the content is null.
 * @throws TypeError for a content that was not sealed by this table
 */
export function openedContent<F extends Fields>(fields: F, content: SealedContent): ValuesOf<F> {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    openedValue(field, content[wireName(name)] ?? null),
  ]);
  return Object.fromEntries(entries) as ValuesOf<F>;
}

const AS_TEXT: Partial<Record<FieldKind, (value: never) => string>> = {
  money: (micro: bigint) => formatRub(micro),
  bigint: (value: bigint) => String(value),
  instant: (at: Date) => isoTime(at),
};

function sealedValue(field: Field, value: unknown, name: string): Sealable {
  if (value === null || value === undefined) {
    if (field.optional) return null;
    throw new TypeError(`${name} is missing from what is sealed`);
  }
  if (field.item) {
    const { item } = field;
    return (value as readonly unknown[]).map((each) => sealedValue(item, each, name));
  }
  if (field.table) return sealedContent(field.table.fields, value as ValuesOf<Fields>);
  if (field.vocabulary) return field.vocabulary.parse(String(value));
  if (field.kind === 'integer' && (value as number) !== ((value as number) | 0)) {
    throw new TypeError(`${name} is no whole number of 32 bits, so nobody could read it again`);
  }
  const spell = AS_TEXT[field.kind];
  return spell ? spell(value as never) : (value as Sealable);
}

/** What `formatRub` has written, of any size. */
function microOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const micro = BigInt(whole) * MICRO_PER_RUB + BigInt(fraction.padEnd(6, '0'));
  return text.startsWith('-') ? -micro : micro;
}

const FROM_TEXT: Partial<Record<FieldKind, (text: string) => unknown>> = {
  money: microOf,
  bigint: BigInt,
  instant: (text) => new Date(text),
};

function openedValue(field: Field, value: Sealable): unknown {
  if (value === null) return null;
  if (field.item) {
    const { item } = field;
    return (value as readonly Sealable[]).map((each) => openedValue(item, each));
  }
  if (field.table) return openedContent(field.table.fields, value as SealedContent);
  const read = FROM_TEXT[field.kind];
  return read ? read(String(value)) : value;
}
