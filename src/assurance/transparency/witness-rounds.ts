import { LRUCache } from 'lru-cache';
import { guardedAgent, SYSTEM_NETWORK } from '../../actions/webhook/guarded-agent.js';
import { captureResponse } from '../../actions/webhook/response.js';
import type { Services } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { readNoteLines } from '../../kernel/signed-note.js';
import { hostOf, isAmong } from '../../platform/network/public-address.js';
import type { Witness } from '../../platform/witness-list.js';
import { judgedLines } from './cosignatures.rules.js';
import { bodyOf, POINT, type Point, PUBLICATION, type Publication } from './published-logs.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly witnessRounds: WitnessRounds;
  }
}

/** How long a witness may take to answer, in milliseconds. */
const ANSWER_MS_MAX = 10_000;
/** The most logs that one round asks a witness about. */
const LOGS_AT_ONCE = 500;
/** A log that a witness refuses rests for longer each time, in milliseconds. */
const REST_MS = { first: 60_000, max: 3_600_000 } as const;
const RESTS_MAX = 50_000;

/**
 * Public logs whose latest checkpoint a witness ($1) has not cosigned, with the size that it knows
 * as far as this side can tell; without those that rest ($2).
 */
const DUE = `
  SELECT ${PUBLICATION}, ${POINT}, COALESCE((
      SELECT max(s.size) FROM log_cosignature s
      WHERE s.publication_id = p.id AND s.witness = $1), 0) AS old
  FROM log_publication p CROSS JOIN LATERAL (
    SELECT * FROM log_checkpoint k WHERE k.tenant_id = p.tenant_id ORDER BY k.size DESC LIMIT 1
  ) c
  WHERE p.ended_at IS NULL AND p.id <> ALL ($2::uuid[]) AND NOT EXISTS (
    SELECT FROM log_cosignature s
    WHERE s.publication_id = p.id AND s.size = c.size AND s.witness = $1)
  ORDER BY p.id LIMIT ${LOGS_AT_ONCE}`;

interface Due extends Publication, Point {
  readonly old: bigint;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The witness cannot be reached at all, so that no further log is tried in this round. */
class WitnessAway extends Error {}

/** Asks witnesses that have an address for what they have not cosigned, beside the requests. */
export class WitnessRounds {
  private running: Promise<void> | undefined;
  private readonly ended = new AbortController();
  /** By witness and publication: how often it was refused, and until when it rests. */
  private readonly rests = new LRUCache<string, { times: number; untilMs: number }>({
    max: RESTS_MAX,
  });

  /** How often each witness has not cosigned what it was asked for, by its name. */
  readonly refusals = new Map<string, number>();

  constructor(
    private readonly services: Pick<Services, 'platformPool' | 'config' | 'log' | 'publishedLogs'>,
  ) {
    for (const { name, url } of services.config.witnesses) {
      if (url !== undefined) this.refusals.set(name, 0);
    }
  }

  /** One round over all witnesses; one that is under way is waited for. */
  ask(): Promise<void> {
    this.running ??= this.askAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Ends with the calls under way, which are cut. */
  async stop(): Promise<void> {
    this.ended.abort();
    await this.running?.catch(() => undefined);
  }

  private async askAll(): Promise<void> {
    const asked = this.services.config.witnesses.filter(({ url }) => url !== undefined);
    await Promise.all(asked.map((witness) => this.askOne(witness)));
  }

  private async askOne(witness: Witness): Promise<void> {
    const { platformPool, log } = this.services;
    const { rows } = await platformPool.query<Due>(DUE, [witness.text, this.restingOf(witness)]);
    for (const due of rows) {
      if (this.ended.signal.aborted) return;
      try {
        await this.cosigned(witness, due);
        this.rests.delete(`${witness.text} ${due.id}`);
      } catch (err) {
        if (this.ended.signal.aborted) return;
        this.refusals.set(witness.name, (this.refusals.get(witness.name) ?? 0) + 1);
        log.warn({ err, witness: witness.name, log: due.origin }, 'a witness did not cosign a log');
        if (err instanceof WitnessAway) return;
        this.rest(`${witness.text} ${due.id}`);
      }
    }
  }

  private restingOf({ text }: Witness): readonly string[] {
    const nowMs = performance.now();
    return [...this.rests.entries()].flatMap(([place, { untilMs }]) =>
      place.startsWith(`${text} `) && untilMs > nowMs ? [place.slice(text.length + 1)] : [],
    );
  }

  private rest(place: string): void {
    const times = (this.rests.get(place)?.times ?? 0) + 1;
    const ms = Math.min(REST_MS.first * 2 ** (times - 1), REST_MS.max);
    this.rests.set(place, { times, untilMs: performance.now() + ms });
  }

  /** Asks once, and once more where the witness says that it knows the log at another size. */
  private async cosigned(witness: Witness, due: Due): Promise<void> {
    let answer = await this.call(witness, due, due.old);
    const known =
      answer.status === 409 ? /^(0|[1-9]\d{0,17})\n$/.exec(answer.text)?.[1] : undefined;
    if (known !== undefined) {
      if (BigInt(known) > due.size) throw new Error(`it has cosigned ${known} leaves already`);
      answer = await this.call(witness, due, BigInt(known));
    }
    if (answer.status !== 200) throw new Error(`it answered ${answer.status}`);
    const lines = readNoteLines(answer.text);
    if (!lines) throw new Error('its answer is no list of signatures');
    const cosigned = {
      body: bodyOf(due, due),
      createdMs: due.createdAt.getTime(),
      nowMs: sharedNowMs(),
    };
    const { good } = judgedLines([witness], lines, cosigned);
    if (good.length === 0) throw new Error('its answer has no cosignature that holds');
    await this.services.publishedLogs.keep(due, due, good);
  }

  private async call({ url = '' }: Witness, due: Due, old: bigint): Promise<Answer> {
    const { config, publishedLogs } = this.services;
    const target = new URL(`${url}/add-checkpoint`);
    const hostAllowed = isAmong(hostOf(target), config.webhookHostsAllowed);
    const body = await publishedLogs.requestOf(due, old, due);
    const agent = guardedAgent({ url: target, hostAllowed }, config, SYSTEM_NETWORK);
    try {
      const answer = await agent.request({
        origin: target.origin,
        path: target.pathname,
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'gw-log/1' },
        body,
        signal: AbortSignal.any([this.ended.signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
        reset: true,
      });
      const { text } = await captureResponse(undefined, answer.body);
      return { status: answer.statusCode, text };
    } catch (cause) {
      throw new WitnessAway('it cannot be reached', { cause });
    } finally {
      await agent.destroy();
    }
  }
}
