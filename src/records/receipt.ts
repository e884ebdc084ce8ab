import { brandWithType } from '@pothos/core';
import type { SealedReceipt } from '../generated/prisma/client.js';
import { fail } from '../kernel/errors/fail.js';
import type { SealedContent } from '../kernel/fields/sealed.js';

/** A sealed receipt with its content as the table of its kind reads it. */
export interface Receipt<C = unknown> {
  readonly id: string;
  readonly row: SealedReceipt;
  /** False where the very request that answers with it has sealed it. */
  readonly alreadySealed: boolean;
  readonly content: C;
}

/** How receipts of a kind are read. */
export interface ReceiptReading {
  readonly kind: string;
  /** The GraphQL type of the kind. */
  readonly type: string;
  readonly open: (content: SealedContent) => unknown;
}

/** The type of receipts whose kind this process does not know, such as one of a later version. */
export const OTHER_RECEIPT = 'OtherReceipt';

const readings = new Map<string, ReceiptReading>();

/** @throws TypeError for a kind that is registered already */
export function registerReceipts(reading: ReceiptReading): void {
  if (readings.has(reading.kind)) {
    throw new TypeError(`receipts of the kind ${reading.kind} are defined twice`);
  }
  readings.set(reading.kind, reading);
}

/** A row as a receipt. Its content is read when it is asked for. */
export function receiptOf<C = unknown>(row: SealedReceipt, alreadySealed = true): Receipt<C> {
  const reading = readings.get(row.kind);
  let content: C | undefined;
  const receipt: Receipt<C> = {
    id: row.id,
    row,
    alreadySealed,
    get content() {
      if (row.content === null) return fail('personal_data_erased');
      const sealed = JSON.parse(row.content) as SealedContent;
      content ??= (reading ? reading.open(sealed) : sealed) as C;
      return content;
    },
  };
  brandWithType(receipt, (reading?.type ?? OTHER_RECEIPT) as never);
  return receipt;
}

/** The GraphQL type of a receipt. */
export function typeOfReceipt({ row }: { readonly row: Pick<SealedReceipt, 'kind'> }): string {
  return readings.get(row.kind)?.type ?? OTHER_RECEIPT;
}
