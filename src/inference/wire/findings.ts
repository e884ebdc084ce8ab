import type { Fault } from '../../kernel/errors/fail.js';

/** So many faults are named; a body with more of them is no longer read. */
const FAULTS_MAX = 50;

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

  private shown(step: string | number, index: number): string | number {
    const isMessage = index === 1 && this.steps[0] === 'messages';
    return isMessage && typeof step === 'number' ? step - this.added : step;
  }
}
