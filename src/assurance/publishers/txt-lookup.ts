import { Resolver } from 'node:dns/promises';
import type { Config } from '../../platform/config.js';
import { nameServersIn } from '../../platform/network/name-servers.js';
import { InFlightLimiter } from '../../records/in-flight-limiter.js';
import type { TxtOutcome } from './identity.rules.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly txtRecords: TxtRecords;
  }
}

/** Where the TXT records of a name are asked for. */
export interface TxtRecords {
  /** The records at a name, each as one text. Failures are outcomes; nothing is thrown. */
  of(name: string): Promise<TxtOutcome>;
}

const TRY_MS_MAX = 2_000;
const TRIES_MAX = 2;
/** A question with all of its tries, in milliseconds. */
const QUESTION_MS_MAX = 5_000;
const AT_ONCE_MAX = 8;
const WAITING_MAX = 64;
/** More than that stands at no name that is set up for a claim. */
const RECORDS_MAX = 20;
const CHARACTERS_MAX = 4_096;

const NOTHING_THERE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);
const TOO_LATE: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECANCELLED']);

/**
 * Asks the name servers of the setting, or of the system, and nobody else. Each question has a
 * resolver of its own, so that ending one ends no other.
 */
export class DnsTxtRecords implements TxtRecords {
  private readonly turns = new InFlightLimiter(AT_ONCE_MAX);
  private asked = 0;

  constructor(private readonly config: Pick<Config, 'GW_DNS_SERVERS'>) {}

  async of(name: string): Promise<TxtOutcome> {
    const servers = nameServersIn(this.config.GW_DNS_SERVERS);
    if (servers === 'off') return { failure: 'lookup_off' };
    if (this.asked >= AT_ONCE_MAX + WAITING_MAX) return { failure: 'server_failed' };
    this.asked += 1;
    try {
      return await this.turns.take(() => ask(name, servers));
    } finally {
      this.asked -= 1;
    }
  }
}

async function ask(name: string, servers: 'system' | readonly string[]): Promise<TxtOutcome> {
  const resolver = new Resolver({ timeout: TRY_MS_MAX, tries: TRIES_MAX });
  if (servers !== 'system') resolver.setServers(servers);
  const patience = setTimeout(() => resolver.cancel(), QUESTION_MS_MAX);
  try {
    return outcomeOf(await resolver.resolveTxt(name));
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (NOTHING_THERE.has(code)) return { records: [] };
    return { failure: TOO_LATE.has(code) ? 'timeout' : 'server_failed' };
  } finally {
    clearTimeout(patience);
  }
}

function outcomeOf(answers: readonly (readonly string[])[]): TxtOutcome {
  const records = answers.map((parts) => parts.join(''));
  const characters = records.reduce((sum, each) => sum + each.length, 0);
  const isTooMuch = records.length > RECORDS_MAX || characters > CHARACTERS_MAX;
  return isTooMuch ? { failure: 'answer_too_large' } : { records };
}
