import type { Sealable } from '../kernel/canonical.js';
import type { Field, Fields } from '../kernel/fields/field.js';
import { snakeCase, wireName } from '../kernel/fields/names.js';
import type { SealedContent } from '../kernel/fields/sealed.js';
import { formatRub } from '../kernel/money.js';

/**
 * A stored content under the names of today. Earlier ones are in camelCase, and their money is
 * integer micro-rubles as text (`amountMicro`, `amount_micro`); what is spelled as today stays.
 */
export function underWireNames(fields: Fields, stored: SealedContent): SealedContent {
  const entries = Object.entries(fields).map(([name, field]): [string, Sealable] => {
    const former = stored[snakeCase(name)] ?? stored[name] ?? null;
    const isMicro = field.kind === 'money' && former !== null;
    const value = stored[wireName(name)] ?? (isMicro ? formatRub(BigInt(String(former))) : former);
    return [wireName(name), valueUnderWireNames(field, value)];
  });
  return Object.fromEntries(entries);
}

function valueUnderWireNames({ item, table }: Field, value: Sealable): Sealable {
  if (value === null) return null;
  if (item) return (value as readonly Sealable[]).map((each) => valueUnderWireNames(item, each));
  return table ? underWireNames(table.fields, value as SealedContent) : value;
}
