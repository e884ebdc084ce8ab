import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../../../rest-compat/arrival.js';
import type { Places } from '../../routing/workloads/admission.rules.js';
import type { PressureGauge } from './pressure.js';
import { Refusals } from './refusals.js';
import {
  hasRoom,
  type LimitBounds,
  nextLimit,
  REQUEST_CLASSES,
  type RequestClass,
  roomOf,
} from './shedding.rules.js';
import { Tally } from './tally.js';

const IDLE_LOOK_MS = 10;
const LOOK_MS = 100;
/** Looks in a row that found nothing to do, after which there are none until the next request. */
const QUIET_LOOKS_MAX = 10;
/**
 * So many may be worked on however late the node is: where others take the processor from it, it is
 * late by no fault of its requests, and to refuse them would only make it idle. A burst of a few
 * hundred of one organization passes: it is answered late, and not refused.
 */
const WORK_MIN = 320;
/** As many as a browser asks of one host at a time: the tables of a page. */
const REPORTS_MIN = 6;

/**
 * What a node carries, and the point at which it refuses more. `inFlightMax` bounds all requests
 * and with them memory; how many of them may be worked on at once follows from how late the node
 * is (shedding.rules.ts).
 */
export class Load implements Places {
  private readonly open = new Tally();
  private readonly work = new Tally();
  private readonly reports = new Tally();
  private ended = 0;
  private readonly refusals = new Refusals(() => this.ended);
  private readonly counts = new Map<RequestClass, number>(
    REQUEST_CLASSES.map(({ name }) => [name, 0]),
  );
  private readonly workBounds: LimitBounds;
  private readonly reportBounds: LimitBounds;
  private workMax: number;
  private reportsMax: number;
  private workPeak = 0;
  private reportsPeak = 0;
  private quietLooks = 0;
  private timer: NodeJS.Timeout | undefined;
  private draining = false;

  /** @param gauge measures how late the node is */
  constructor(
    readonly inFlightMax: number,
    public gauge: PressureGauge,
  ) {
    this.workBounds = { min: Math.min(WORK_MIN, inFlightMax), max: inFlightMax };
    this.reportBounds = { min: Math.min(REPORTS_MIN, inFlightMax), max: inFlightMax };
    this.workMax = inFlightMax;
    this.reportsMax = inFlightMax;
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.open.total;
  }

  /** Requests that are worked on: they wait neither for a provider nor for an event. */
  get atWork(): number {
    return this.work.total;
  }

  /** How many may be worked on now. */
  get atWorkMax(): number {
    return this.workMax;
  }

  /** What a chat finds taken, and what there is for it: the same by which it is refused. */
  get forChat() {
    const { open, work, inFlightMax, workMax } = this;
    return [
      { taken: open.total, max: roomOf('chat', inFlightMax) },
      { taken: work.total, max: roomOf('chat', workMax) },
    ];
  }

  /** Requests that were refused since the start, by class. */
  get shed(): ReadonlyMap<RequestClass, number> {
    return this.counts;
  }

  /** True once the node stops to take requests. */
  get isDraining(): boolean {
    return this.draining;
  }

  /**
   * Counts a request in, before its body is read.
   * @param caller whose share it takes: an organization, or an address while nobody knows more
   * @throws overloaded, at once or in the turn of the refusal
   */
  admit(requestClass: RequestClass, caller: string): Place | Promise<never> {
    this.timer ??= this.beginToLook();
    if (!this.isRoomFor(requestClass, caller)) {
      this.counts.set(requestClass, (this.counts.get(requestClass) ?? 0) + 1);
      return this.refusals.refuse();
    }
    const isReport = requestClass === 'reports';
    this.open.enter(caller);
    this.work.enter(caller);
    if (isReport) this.reports.enter(caller);
    this.workPeak = Math.max(this.workPeak, this.work.total);
    this.reportsPeak = Math.max(this.reportsPeak, this.reports.total);
    let isOpen = true;
    let isWorking = true;
    const idles = () => {
      if (!isWorking) return;
      isWorking = false;
      this.work.leave(caller);
      if (isReport) this.reports.leave(caller);
    };
    return {
      idles,
      leave: () => {
        if (!isOpen) return;
        isOpen = false;
        idles();
        this.open.leave(caller);
        this.ended += 1;
      },
    };
  }

  /** From now on the node is not ready for new requests. */
  drain(): void {
    this.draining = true;
    this.refusals.flush();
  }

  /** Resolves when nothing is under way, or after the given milliseconds. */
  async idle(waitMs: number): Promise<void> {
    const deadlineMs = performance.now() + waitMs;
    while (this.open.total > 0 && performance.now() < deadlineMs) await sleep(IDLE_LOOK_MS);
    this.rest();
  }

  private isRoomFor(requestClass: RequestClass, caller: string): boolean {
    const { open, work, reports } = this;
    return (
      open.total < this.inFlightMax &&
      hasRoom(open.use(caller), roomOf(requestClass, this.inFlightMax)) &&
      hasRoom(work.use(caller), roomOf(requestClass, this.workMax)) &&
      (requestClass !== 'reports' || hasRoom(reports.use(caller), this.reportsMax))
    );
  }

  private beginToLook(): NodeJS.Timeout {
    this.gauge.start();
    return setInterval(() => this.look(), LOOK_MS).unref();
  }

  private look(): void {
    const { work, reports } = this.gauge.read();
    this.workMax = nextLimit(
      this.workMax,
      { pressure: work, peak: this.workPeak },
      this.workBounds,
    );
    this.reportsMax = nextLimit(
      this.reportsMax,
      { pressure: reports, peak: this.reportsPeak },
      this.reportBounds,
    );
    this.workPeak = this.work.total;
    this.reportsPeak = this.reports.total;
    const isFree = this.workMax === this.inFlightMax && this.reportsMax === this.inFlightMax;
    this.quietLooks = isFree && this.workPeak === 0 ? this.quietLooks + 1 : 0;
    if (this.quietLooks >= QUIET_LOOKS_MAX) this.rest();
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.quietLooks = 0;
    this.gauge.stop();
  }
}
