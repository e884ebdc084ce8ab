/** A string, with the colon that makes it a key; or what opens, divides and closes. */
const JSON_TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/**
 * The paths of keys that an object of a body holds more than once, of which `JSON.parse` tells only
 * the last. The body has been parsed, so that its text is known to be JSON; the look is linear,
 * where a YAML parser with unique keys takes seconds for a body of the largest size.
 */
export function repeatedKeys(bytes: Buffer): string[] {
  const repeated: string[] = [];
  const open: { readonly path: string; readonly keys: Set<string>; member: string | number }[] = [];
  for (const [token, string = '', colon] of bytes.toString('utf8').matchAll(JSON_TOKEN)) {
    const level = open.at(-1);
    if (token === '{' || token === '[') {
      const path = level ? joined(level.path, String(level.member)) : '';
      open.push({ path, keys: new Set(), member: token === '[' ? 0 : '' });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof level?.member === 'number') level.member += 1;
    else if (colon && level) {
      const key = String(JSON.parse(string));
      if (level.keys.has(key)) repeated.push(joined(level.path, key));
      level.keys.add(key);
      level.member = key;
    }
  }
  return repeated;
}

function joined(path: string, member: string): string {
  return path === '' ? member : `${path}.${member}`;
}
