import type { Cluster, Worker } from 'node:cluster';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { CountingForOthers } from '../../platform/counters/counting-for-others.js';
import { projectRoot } from '../../platform/database/project-root.js';
import type { Metrics } from '../../platform/metrics.js';
import { StartFailure } from '../failure.js';
import { connectionOnItsWay } from './connection-on-its-way.js';
import { GatheredFigures } from './gathered-figures.js';
import type { PrimaryMessage, SentSeat, WorkerMessage } from './messages.js';
import { waitBeforeRestart } from './restarts.rules.js';
import { SilentWorkers, type WatchedWorker } from './silent-workers.js';

/** A worker as its primary sees it, over all of its restarts. */
interface Member {
  readonly number: number;
  process: Worker | undefined;
  isServing: boolean;
  startedMs: number;
  waitMs: number;
  again: NodeJS.Timeout | undefined;
  /** Why it could not serve, in its own words. */
  reason: string | undefined;
}

/** What a crew is made of. */
interface CrewParts {
  readonly cluster: Cluster;
  readonly count: number;
  readonly seatOf: (number: number) => SentSeat;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** How long a worker that serves may be silent. */
  readonly hangTimeoutMs: number;
  /** How long workers may take to end. */
  readonly stopMsMax: number;
}

/** What tells of the first start of all workers. */
interface Starting {
  readonly serves: (url: string) => void;
  readonly fails: (reason: string) => void;
}

/** The workers of this process: starts them, keeps them there, and does what they need of one. */
export class Crew {
  private readonly members: readonly Member[];
  private readonly counters = new CountingForOthers();
  private readonly figures: GatheredFigures;
  private readonly silent: SilentWorkers;
  private starting: Starting | undefined;
  private stopping: { readonly resolve: (areAllWell: boolean) => void; well: boolean } | undefined;
  private hasStarted = false;
  private ended = 0;
  private killed = 0;

  constructor(private readonly parts: CrewParts) {
    const { count, metrics } = parts;
    this.silent = new SilentWorkers(parts.hangTimeoutMs);
    this.members = Array.from({ length: count }, (_, index) => memberOf(index + 1));
    this.figures = new GatheredFigures(
      (number, id) => this.tell(number, { kind: 'own_figures_wanted', id }),
      () => metrics.text(),
    );
    metrics.gauge({
      name: 'gw_workers_serving',
      help: 'Workers that serve.',
      read: () => this.members.filter(({ isServing }) => isServing).length,
    });
    metrics.counter({
      name: 'gw_workers_ended_total',
      help: 'Workers that have ended by themselves and were started again.',
      read: () => this.ended,
    });
    metrics.counter({
      name: 'gw_workers_killed_total',
      help: 'Workers that were killed because their event loop hung or their stop took too long.',
      read: () => this.killed,
    });
  }

  /**
   * Starts all workers.
   * @returns the address at which they serve, as soon as all of them do
   * @throws StartFailure with what kept the first of them from it
   */
  start(): Promise<string> {
    const { cluster } = this.parts;
    // A worker gets the next connection in its turn, and not whichever wakes first.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: join(projectRoot(), 'tools', 'serve.mjs'), args: [] });
    return new Promise<string>((resolve, reject) => {
      this.starting = { serves: resolve, fails: (reason) => reject(new StartFailure(reason)) };
      for (const member of this.members) this.fork(member);
    });
  }

  /**
   * Lets all workers end what they have begun.
   * @returns true when each of those that served has ended well
   */
  stop(): Promise<boolean> {
    return new Promise((resolve) => {
      this.stopping = { resolve, well: true };
      setTimeout(() => this.killLeft(), this.parts.stopMsMax).unref();
      for (const member of this.members) {
        clearTimeout(member.again);
        member.process?.process.kill('SIGTERM');
      }
      this.endWhenAllHave();
    });
  }

  private fork(member: Member): void {
    const worker = this.parts.cluster.fork();
    Object.assign(member, { process: worker, startedMs: performance.now(), reason: undefined });
    worker.on('message', (message: WorkerMessage) => this.heard(member, worker, message));
    const watched: WatchedWorker = {
      get isServing() {
        return member.isServing;
      },
      kill: (silenceMs) => this.killSilent(member, worker, silenceMs),
    };
    this.silent.add(watched);
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'beat') this.silent.heard(watched, message.isDebugged);
    });
    const closeOnItsWay = connectionOnItsWay(worker.process);
    // What it had said may be read after its end, so that it is forgotten once more.
    worker.on('disconnect', () => this.forget(member));
    worker.on('error', (error) => this.parts.log.warn({ err: error }, 'a worker is not reached'));
    worker.on('exit', (code, signal) => {
      closeOnItsWay();
      this.silent.remove(watched);
      this.gone(member, { code, signal });
    });
  }

  private heard(member: Member, worker: Worker, message: WorkerMessage): void {
    const { number } = member;
    if (message.kind === 'here') send(worker, { kind: 'seat', seat: this.parts.seatOf(number) });
    else if (message.kind === 'serving') this.serves(member, message.url);
    else if (message.kind === 'failed') member.reason = message.reason;
    else if (message.kind === 'own_figures') this.figures.add(number, message.id, message.text);
    else if (message.kind === 'figures_wanted') void this.tellFigures(worker, message.id);
    else if (message.kind === 'counted') {
      const answers = this.counters.answer(number, message.calls);
      if (answers.length > 0) send(worker, { kind: 'answers', answers });
    }
  }

  private serves(member: Member, url: string): void {
    member.isServing = true;
    if (!this.members.every(({ isServing }) => isServing)) return;
    this.hasStarted = true;
    this.starting?.serves(url);
  }

  private async tellFigures(worker: Worker, id: number): Promise<void> {
    const serving = this.members.filter(({ isServing }) => isServing);
    const text = await this.figures.text(serving.map(({ number }) => number));
    send(worker, { kind: 'figures', id, text });
  }

  private tell(number: number, message: PrimaryMessage): void {
    const worker = this.members[number - 1]?.process;
    if (worker) send(worker, message);
  }

  private forget({ number }: Member): void {
    this.counters.forget(number);
    this.figures.forget(number);
  }

  private gone(member: Member, { code, signal }: { code: number | null; signal: string | null }) {
    this.forget(member);
    const { isServing: hasServed, number, reason } = member;
    Object.assign(member, { process: undefined, isServing: false });
    if (this.stopping) {
      if (hasServed && code !== 0) this.stopping.well = false;
      return this.endWhenAllHave();
    }
    const { log, seatOf } = this.parts;
    const how = signal ?? `exit code ${code}`;
    if (!this.hasStarted) {
      this.starting?.fails(reason ?? `worker ${number} ended before it served (${how})`);
      return;
    }
    this.ended += 1;
    member.waitMs = waitBeforeRestart(member.waitMs, performance.now() - member.startedMs);
    const facts = { worker: seatOf(number).name, ended: how, reason, again_in_ms: member.waitMs };
    log.error(facts, 'a worker has ended and is started again');
    member.again = setTimeout(() => this.fork(member), member.waitMs);
  }

  /** One that is stopped or whose event loop is blocked hears no other signal. */
  private killSilent(member: Member, worker: Worker, silenceMs: number): void {
    const facts = {
      worker: this.parts.seatOf(member.number).name,
      silent_ms: Math.round(silenceMs),
    };
    this.parts.log.error(facts, 'a worker has hung and is killed');
    member.reason = `it was silent for ${facts.silent_ms} ms`;
    this.kill(worker);
  }

  private killLeft(): void {
    for (const { process: worker, number } of this.members) {
      if (!worker) continue;
      const facts = { worker: this.parts.seatOf(number).name, after_ms: this.parts.stopMsMax };
      this.parts.log.error(facts, 'a worker has not ended in time and is killed');
      this.kill(worker);
    }
  }

  private kill(worker: Worker): void {
    this.killed += 1;
    worker.process.kill('SIGKILL');
  }

  private endWhenAllHave(): void {
    if (this.members.some(({ process }) => process)) return;
    this.silent.stop();
    this.stopping?.resolve(this.stopping.well);
  }
}

function memberOf(number: number): Member {
  return {
    number,
    process: undefined,
    isServing: false,
    startedMs: 0,
    waitMs: 0,
    again: undefined,
    reason: undefined,
  };
}

/** To a worker that is just ending nothing is said any more. */
function send(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}
