import { type MicroRub, taxInside } from '../../kernel/money.js';
import { shareInKopecks, wholeKopecks } from './kopecks.rules.js';

/** A line of the ledger that moves money other than by a charge, or a charge that was refunded. */
export interface AdvanceLine {
  /** The number of the line in its account. */
  readonly version: bigint;
  readonly type: 'top_up' | 'credit' | 'adjustment' | 'refund' | 'balance_return' | 'finalize';
  readonly requestId: string;
  /** The charge that a refund gives back; null for all else. */
  readonly chargedRequestId: string | null;
  readonly at: Date;
  /** In basis points; null where nothing is supplied. */
  readonly rate: number | null;
  readonly postedDelta: MicroRub;
  readonly postedAfter: MicroRub;
}

/** What moved a lot: charges, refunds of charges, or money that left as it came. */
export type LotMove = 'offset' | 'restored' | 'returned';

/** An exact amount beside what documents say of it in whole kopecks. */
export interface Moved {
  readonly exactMicro: MicroRub;
  readonly grossMicro: MicroRub;
  readonly vatMicro: MicroRub;
}

/** A top-up as an advance: what was received on one day at one rate. */
export interface Lot {
  /** The request id of the top-up. */
  readonly id: string;
  readonly at: Date;
  readonly rate: number;
  /** What was paid, exactly. */
  readonly paidMicro: MicroRub;
  /** How much of it paid for services that were supplied before: that is no advance. */
  readonly settledMicro: MicroRub;
  /** What is left of the advance, exactly. */
  readonly leftMicro: MicroRub;
  /** What its invoice says. */
  readonly invoice: Moved;
  readonly moved: Readonly<Record<LotMove, Moved>>;
  /** What the invoice says less all that was moved. */
  readonly rest: Moved;
}

/** What the operator gave, which is no payment. */
export interface Bonus {
  readonly givenMicro: MicroRub;
  readonly usedMicro: MicroRub;
  readonly restoredMicro: MicroRub;
  readonly withdrawnMicro: MicroRub;
  readonly leftMicro: MicroRub;
}

/** What an account owns by where it comes from: the lots, the bonus, less what it owes. */
export interface AdvanceState {
  readonly lots: readonly Lot[];
  readonly bonus: Bonus;
  readonly owedMicro: MicroRub;
  readonly postedMicro: MicroRub;
  /** Money that was returned without having been paid; 0 in sound books. */
  readonly unpaidReturnMicro: MicroRub;
}

const NOTHING: Moved = { exactMicro: 0n, grossMicro: 0n, vatMicro: 0n };

function plus(one: Moved, other: Moved, sign = 1n): Moved {
  return {
    exactMicro: one.exactMicro + sign * other.exactMicro,
    grossMicro: one.grossMicro + sign * other.grossMicro,
    vatMicro: one.vatMicro + sign * other.vatMicro,
  };
}

/** What moved between two states of the same lot, by kind. */
export function movedSince(lot: Lot, before: Lot | undefined): Readonly<Record<LotMove, Moved>> {
  const since = (move: LotMove) => plus(lot.moved[move], before?.moved[move] ?? NOTHING, -1n);
  return { offset: since('offset'), restored: since('restored'), returned: since('returned') };
}

/** A lot while the lines are read. */
class OpenLot {
  readonly invoice: Moved;
  private takenMicro = 0n;
  private moved: Record<LotMove, Moved> = { offset: NOTHING, restored: NOTHING, returned: NOTHING };

  constructor(
    private readonly line: AdvanceLine,
    private readonly rate: number,
    private readonly settledMicro: MicroRub,
  ) {
    const exactMicro = line.postedDelta - settledMicro;
    const grossMicro = wholeKopecks(exactMicro);
    const vatMicro = wholeKopecks(taxInside(grossMicro, rate).vat);
    this.invoice = { exactMicro, grossMicro, vatMicro };
  }

  get leftMicro(): MicroRub {
    return this.invoice.exactMicro - this.takenMicro;
  }

  /** How much of it charges have used. */
  get usedMicro(): MicroRub {
    return this.moved.offset.exactMicro - this.moved.restored.exactMicro;
  }

  /** Takes, or puts back where `amount` is negative. */
  move(move: LotMove, amount: MicroRub): void {
    const before = this.inKopecks();
    this.takenMicro += amount;
    const after = plus(this.inKopecks(), before, -1n);
    const sign = move === 'restored' ? -1n : 1n;
    this.moved = { ...this.moved, [move]: plus(this.moved[move], after, sign) };
  }

  /**
   * What was taken by now, in the kopecks of documents: a move is the difference of two of these,
   * so that whatever is taken in parts ends at the kopecks of the invoice.
   */
  private inKopecks(): Moved {
    const { exactMicro, vatMicro, grossMicro } = this.invoice;
    const taken = this.takenMicro;
    if (exactMicro === 0n) return NOTHING;
    return {
      exactMicro: taken,
      grossMicro: shareInKopecks(grossMicro, taken, exactMicro),
      vatMicro: shareInKopecks(vatMicro, taken, exactMicro),
    };
  }

  /** It as it is now. */
  state(): Lot {
    const { line, rate, settledMicro, invoice, moved, leftMicro } = this;
    const rest = plus(invoice, this.inKopecks(), -1n);
    const { requestId: id, at, postedDelta: paidMicro } = line;
    return { id, at, rate, paidMicro, settledMicro, leftMicro, invoice, moved: { ...moved }, rest };
  }
}

/** What a charge was paid from; null is a debt. */
interface Part {
  readonly from: OpenLot | 'bonus' | null;
  amountMicro: MicroRub;
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);

/**
 * Follows the money of an account through the lines that are no charges, in their order. What
 * charges took between two lines is the difference of the balances that these say, so no charge is
 * read but those that were refunded. The rules:
 *
 * - A top-up is a lot. What the account owes is paid from it first, which is no advance.
 * - What the operator gave is used first, then the lots in the order of their receipt.
 * - A refund puts back what its charge took, the last part first, whence it came.
 * - A return takes the newest lots first, and never what the operator gave. An adjustment that
 *   takes away does the same after what the operator gave; one that adds is given by the operator.
 */
export class AdvanceBook {
  private readonly lots: OpenLot[] = [];
  private readonly charges = new Map<string, Part[]>();
  /** No lot before it has anything left. */
  private first = 0;
  private postedMicro = 0n;
  private owedMicro = 0n;
  private unpaidReturnMicro = 0n;
  private bonus = { givenMicro: 0n, usedMicro: 0n, restoredMicro: 0n, withdrawnMicro: 0n };

  /** The next line. */
  add(line: AdvanceLine): void {
    this.spendTo(line.postedAfter - line.postedDelta);
    this.postedMicro = line.postedAfter;
    const amount = line.postedDelta;
    if (line.type === 'top_up') this.receive(line);
    else if (line.type === 'finalize') this.charges.set(line.requestId, this.spend(-amount));
    else if (line.type === 'refund') this.restore(amount, line.chargedRequestId);
    else if (amount >= 0n) this.give(amount);
    else this.takeBack(-amount, line.type === 'adjustment');
  }

  /** Whether it is known what a charge has taken. */
  hasCharge(requestId: string): boolean {
    return this.charges.has(requestId);
  }

  /** Charges have brought the balance down to this. */
  spendTo(postedMicro: MicroRub): void {
    if (postedMicro < this.postedMicro) this.spend(this.postedMicro - postedMicro);
    this.postedMicro = postedMicro;
  }

  /** All of it as it is now. */
  state(): AdvanceState {
    const { bonus, owedMicro, postedMicro, unpaidReturnMicro } = this;
    const lots = this.lots.map((lot) => lot.state());
    return {
      lots,
      bonus: { ...bonus, leftMicro: this.bonusLeft() },
      ...{ owedMicro, postedMicro, unpaidReturnMicro },
    };
  }

  private bonusLeft(): MicroRub {
    const { givenMicro, usedMicro, restoredMicro, withdrawnMicro } = this.bonus;
    return givenMicro - usedMicro + restoredMicro - withdrawnMicro;
  }

  private settle(amount: MicroRub): MicroRub {
    const settled = least(amount, this.owedMicro);
    this.owedMicro -= settled;
    return settled;
  }

  private receive(line: AdvanceLine): void {
    const settled = this.settle(line.postedDelta);
    if (line.rate === null) throw new RangeError('a top-up names no rate of tax');
    this.lots.push(new OpenLot(line, line.rate, settled));
  }

  private give(amount: MicroRub): void {
    this.bonus.givenMicro += amount;
    this.bonus.usedMicro += this.settle(amount);
  }

  private spend(amount: MicroRub): Part[] {
    const parts: Part[] = [];
    let left = amount;
    const ofBonus = least(left, this.bonusLeft());
    if (ofBonus > 0n) {
      this.bonus.usedMicro += ofBonus;
      parts.push({ from: 'bonus', amountMicro: ofBonus });
      left -= ofBonus;
    }
    for (; left > 0n && this.first < this.lots.length; ) {
      const lot = this.lots[this.first] as OpenLot;
      const taken = least(left, lot.leftMicro);
      if (taken > 0n) {
        lot.move('offset', taken);
        parts.push({ from: lot, amountMicro: taken });
        left -= taken;
      }
      if (lot.leftMicro === 0n) this.first += 1;
    }
    if (left > 0n) {
      this.owedMicro += left;
      parts.push({ from: null, amountMicro: left });
    }
    return parts;
  }

  private restore(amount: MicroRub, charge: string | null): void {
    const parts = (charge === null ? undefined : this.charges.get(charge)) ?? [];
    let left = amount;
    for (const part of [...parts].reverse()) {
      const wanted = least(left, part.amountMicro);
      const put = this.putBack(part.from, wanted);
      part.amountMicro -= put;
      left -= put;
    }
    if (left > 0n) this.restoreAnyhow(left);
  }

  private putBack(from: Part['from'], wanted: MicroRub): MicroRub {
    if (from === null) return this.settle(wanted);
    if (from === 'bonus') {
      this.bonus.restoredMicro += wanted;
      return wanted;
    }
    const put = least(wanted, from.usedMicro);
    if (put === 0n) return 0n;
    from.move('restored', -put);
    this.first = Math.min(this.first, this.lots.indexOf(from));
    return put;
  }

  /** A refund that names no charge, or one of a debt that was paid since: the last lots used. */
  private restoreAnyhow(amount: MicroRub): void {
    let left = amount - this.settle(amount);
    for (let at = this.lots.length - 1; at >= 0 && left > 0n; at -= 1) {
      left -= this.putBack(this.lots[at] as OpenLot, left);
    }
    this.bonus.restoredMicro += left;
  }

  private takeBack(amount: MicroRub, ofBonusFirst: boolean): void {
    let left = amount;
    if (ofBonusFirst) {
      const withdrawn = least(left, this.bonusLeft());
      this.bonus.withdrawnMicro += withdrawn;
      left -= withdrawn;
    }
    for (let at = this.lots.length - 1; at >= 0 && left > 0n; at -= 1) {
      const lot = this.lots[at] as OpenLot;
      const taken = least(left, lot.leftMicro);
      if (taken === 0n) continue;
      lot.move('returned', taken);
      left -= taken;
    }
    if (left === 0n) return;
    if (!ofBonusFirst) this.unpaidReturnMicro += left;
    const ofBonus = least(left, this.bonusLeft());
    this.bonus.withdrawnMicro += ofBonus;
    this.owedMicro += left - ofBonus;
  }
}

/** What is left of all lots, exactly: what a customer can ask to be returned. */
export function paidLeft({ lots }: AdvanceState): MicroRub {
  return lots.reduce((sum, { leftMicro }) => sum + leftMicro, 0n);
}
