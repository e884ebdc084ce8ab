import { replacesValue } from '../../kernel/firewall/modes.js';
import type { FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { TextVisitor } from './body-texts.js';
import { type Encoding, replaceRanges } from './mask.js';
import { SAME_LENGTH_MAX, type Survey } from './survey.js';
import type { Unread } from './unread.js';
import { withEmbedded } from './with-embedded.js';

/**
 * The second pass: every value whose mode says so becomes its placeholder. A short text in which
 * something was found is treated the same wherever it stands, so that the id of a call, a name in
 * `required` and its property stay equal.
 */
export class Masking implements TextVisitor {
  readonly masked = new Map<FindingClass, number>();
  private site = 0;

  constructor(
    private readonly survey: Survey,
    private readonly modes: FirewallModes,
  ) {}

  alone(text: string, encoding: Encoding): string {
    return this.replaced(text, encoding);
  }

  begin(): void {}

  end(): void {}

  next(): void {}

  unread(): void {}

  known(): void {}

  /** The arrays, or texts where a value of one of them is replaced: tokens of it cannot be. */
  tokens(input: readonly unknown[]): unknown {
    const { readings = [], written } = this.survey;
    if (written === undefined) return input;
    const texts = readings.flatMap((each) => each.filter(({ encoding }) => encoding === written));
    const masked = texts.map(({ text }) =>
      withEmbedded(text, this.replaced(text, 'plain'), {
        read: (inner) => this.replaced(inner, 'plain'),
        unread: () => undefined,
      }),
    );
    if (masked.every((text, index) => text === texts[index]?.text)) return input;
    return Array.isArray(input[0]) ? masked : masked[0];
  }

  name(name: string): string {
    return this.replaced(name, 'plain');
  }

  text(text: string): string {
    return this.replaced(text, 'plain');
  }

  number(value: number, written: string): number | string {
    const replaced = this.replaced(written, 'plain');
    return replaced === written ? value : replaced;
  }

  private replaced(text: string, encoding: Encoding): string {
    const { marks, same, vault } = this.survey;
    const site = this.site++;
    const found = (text.length <= SAME_LENGTH_MAX ? same.get(text) : undefined) ?? marks.get(site);
    const replaced = found?.filter(({ class: code }) => replacesValue(this.modes[code])) ?? [];
    if (replaced.length === 0) return text;
    const placeholders = replaced.map(({ class: code, value }) => {
      this.masked.set(code, (this.masked.get(code) ?? 0) + 1);
      return vault.placeholderFor(code, value);
    });
    return replaceRanges(text, replaced, placeholders, encoding);
  }
}

/** A pass that looks for nothing but what nothing reads. */
export class UnreadOnly implements TextVisitor {
  constructor(private readonly survey: Survey) {}

  alone(text: string): string {
    return text;
  }

  begin(): void {}

  end(): void {}

  next(): void {}

  known(): void {}

  name(name: string): string {
    return name;
  }

  text(text: string): string {
    return text;
  }

  number(value: number): number {
    return value;
  }

  tokens(input: readonly unknown[]): unknown {
    return this.survey.tokens(input);
  }

  unread(content: Unread): void {
    this.survey.unread(content);
  }
}
