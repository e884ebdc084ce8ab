import { z } from 'zod';

/** Headers as OpenTelemetry writes them: `name=value`, separated by commas, percent-encoded. */
export const headerList = z
  .string()
  .default('')
  .refine((list) => headersIn(list) !== undefined, {
    error: 'must list name=value pairs, separated by commas, with percent-encoded values',
  });

/** The headers of a list; undefined where it is misspelt. */
export function headersIn(list: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of list.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return headers;
}
