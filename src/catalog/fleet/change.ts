import type { ChangeKind } from './vocabulary.js';

/** A change as it is asked for. */
export interface ChangeDraft {
  readonly kind: ChangeKind;
  /** The id of a provider or of a public model, or the key of a deployment. */
  readonly subject: string;
  /** In the words of the providers file. */
  readonly body: unknown;
  readonly reason: string;
}

/** A change that was made. Of those of one place the latest is in force. */
export interface ProviderChange extends ChangeDraft {
  readonly seq: bigint;
  readonly place: string;
  readonly setBy: string;
  readonly createdAt: Date;
}

/** What a change takes the place of: an earlier one of the same place is no longer in force. */
export function placeOf({ kind, subject, body }: ChangeDraft): string {
  switch (kind) {
    case 'price_added':
      return `price ${subject} ${(body as { readonly effective_from: string }).effective_from}`;
    case 'provider_declared':
    case 'provider_withdrawn':
      return `provider ${subject}`;
    default:
      return `${kind} ${subject}`;
  }
}

/** What holds by a change, under the wire names of its table. */
export function shownBody({ kind, body }: Pick<ChangeDraft, 'kind' | 'body'>): unknown {
  if (kind === 'provider_declared') return { definition: body };
  if (kind !== 'price_added') return body;
  const { effective_from, vat_basis, ...figures } = body as Readonly<Record<string, unknown>>;
  const inRubles = Object.entries(figures).map(([part, price]) => [`${part}_rub`, price]);
  return { effective_from, vat_basis, ...Object.fromEntries(inRubles) };
}
