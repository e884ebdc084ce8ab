import { inspect } from 'node:util';

const MASK = '[secret]';

/** A credential that shows a mask wherever it is printed, logged or serialised. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The credential itself; only the line that puts it on a request may ask for it. */
  reveal(): string {
    return this.#value;
  }

  /** The text with every occurrence of the credential masked. */
  maskIn(text: string): string {
    return this.#value === '' ? text : text.replaceAll(this.#value, MASK);
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
