import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { Encoding, Vault } from './mask.js';
import { type ScanReport, StreamScanner, StreamUnmasker } from './stream.js';

/** One text of an answer on its way through scanner and unmasker, in any pieces. */
export class AnswerPipe {
  private readonly scanner: StreamScanner;
  private readonly unmasker: StreamUnmasker;

  constructor(modes: FirewallModes, vault: Vault, encoding: Encoding, report: ScanReport) {
    this.scanner = new StreamScanner(modes, vault, encoding, report);
    this.unmasker = new StreamUnmasker(vault, encoding);
  }

  /** The text that may be emitted now. */
  push(text: string): string {
    return this.unmasker.push(this.scanner.push(text));
  }

  /** What was held back; the text has ended. */
  flush(): string {
    return this.unmasker.push(this.scanner.flush()) + this.unmasker.flush();
  }
}
