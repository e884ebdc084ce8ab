import type { Fault } from '../../kernel/errors/fail.js';

/** So many faults are named; a body with more of them is no longer read. */
const FAULTS_MAX = 50;

const HALF = 'holds half a surrogate pair';

/**
 * The faults of a body, and where the check stands in it. The place is spelled out only where a
 * fault is found, so that a good body costs no text.
 */
export class Findings {
  readonly faults: Fault[] = [];
  private readonly steps: (string | number)[] = [];

  /** `added` messages at the beginning are not the client's, which counts its own from 0. */
  constructor(private readonly added = 0) {}

  /** True when nothing more needs to be looked for. */
  get isFull(): boolean {
    return this.faults.length >= FAULTS_MAX;
  }

  enter(step: string | number): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  /** Notes a fault of the value at this place; `what` follows its path in the message. */
  add(code: Fault['code'], what: string): void {
    if (this.isFull) return;
    const path = this.steps.map((step, index) => this.shown(step, index)).join('.');
    this.faults.push({ path, code, message: `${path === '' ? 'The body' : path} ${what}.` });
  }

  /** Notes a fault of a member of the value at this place. */
  addOf(member: string, code: Fault['code'], what: string): void {
    this.enter(member);
    this.add(code, what);
    this.leave();
  }

  /**
   * Notes texts and names that hold half a surrogate pair: such a text has no form in UTF-8, so
   * that it can neither be sent as it came nor be kept.
   */
  addHalves(value: unknown): void {
    if (this.isFull) return;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) this.addHalf();
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      // Token arrays are long; numbers hold nothing.
      for (let index = 0; index < value.length; index += 1) {
        if (typeof value[index] !== 'number') this.addHalvesOf(index, value[index]);
      }
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (name.isWellFormed()) this.addHalvesOf(name, member);
      else this.addHalf();
    }
  }

  /** Unless the member's own shape has told it already. */
  private addHalf(): void {
    const before = this.faults.length;
    this.add('invalid', HALF);
    const path = this.faults[before]?.path;
    const isTold = this.faults.findIndex((fault) => fault.path === path) < before;
    if (isTold) this.faults.length = before;
  }

  private addHalvesOf(step: string | number, value: unknown): void {
    if (typeof value !== 'string' && typeof value !== 'object') return;
    this.enter(step);
    this.addHalves(value);
    this.leave();
  }

  private shown(step: string | number, index: number): string | number {
    const isMessage = index === 1 && this.steps[0] === 'messages';
    return isMessage && typeof step === 'number' ? step - this.added : step;
  }
}
