/**
 * JSON by RFC 8785 as the database writes it, for rows of which many are hashed without leaving it.
 * Whoever builds one gives the members in the order of their names.
 */

/** A member as it is written: what stands around the value, and the expression of the value. */
interface Written {
  readonly around: '"%s"' | '%s';
  readonly value: string;
}

/** An object. One call of `format` writes it, which costs half of what concatenation does. */
export function canonicalObjectSql(members: Readonly<Record<string, Written | string>>): string {
  const entries = Object.entries(members);
  const texts = entries.map(
    ([name, it]) => `"${name}":${typeof it === 'string' ? `"${it}"` : it.around}`,
  );
  const values = entries.flatMap(([, it]) => (typeof it === 'string' ? [] : [it.value]));
  return `format('{${texts.join(',')}}', ${values.join(', ')})`;
}

/** A text that may hold anything, or is null. */
export function anyText(column: string): Written {
  return { around: '%s', value: `COALESCE(to_json(${column})::text, 'null')` };
}

/** What needs no escape and is never null: an id, a code, a whole number as text. */
export function plainText(column: string): Written {
  return { around: '"%s"', value: column };
}

/** The same where it may be null. */
export function nullableText(column: string): Written {
  return { around: '%s', value: `COALESCE('"' || ${column} || '"', 'null')` };
}

/** A whole number of at most 53 bits as a number, or null. */
export function wholeNumber(column: string): Written {
  return { around: '%s', value: `COALESCE(${column}::text, 'null')` };
}

/** Bytes as hexadecimal digits, or null. */
export function hexText(column: string): Written {
  return nullableText(`encode(${column}, 'hex')`);
}

/** A time in UTC with milliseconds, as all records write it. */
export function timeText(column: string): Written {
  return plainText(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}
