import { isIP } from 'node:net';
import { z } from 'zod';

/** Whom the gateway asks for records of names: the servers of the system, none, or these. */
type NameServers = 'system' | 'off' | readonly string[];

/** The setting: `system`, `off`, or addresses, each with a port or without. */
export const nameServerList = z.string().default('system').refine(areNameServers, {
  error: 'must be system, off, or list addresses of name servers, such as 192.0.2.53:53',
});

function areNameServers(list: string): boolean {
  const named = nameServersIn(list);
  if (typeof named === 'string') return true;
  return named.length > 0 && named.every((word) => isIP(withoutPort(word)) !== 0);
}

function withoutPort(word: string): string {
  const [, bracketed, plain] = /^(?:\[(.+)\]|([\d.]+)):\d{1,5}$/.exec(word) ?? [];
  return bracketed ?? plain ?? word;
}

/** The servers that a text names. */
export function nameServersIn(list: string): NameServers {
  const word = list.trim().toLowerCase();
  return word === 'system' || word === 'off' ? word : word.split(/[\s,]+/).filter(Boolean);
}
