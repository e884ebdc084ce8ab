import type { ObjectRef } from '@pothos/core';
import { builder } from '../graph/builder.js';
import { authorized } from '../graph/database.js';
import type { ConnectionArgs, KeysetPage } from '../graph/keyset.js';
import { connectionOf, forwardArgs, pageComplexity } from '../graph/page.js';
import type { Permission } from '../graph/permissions.js';
import { argsOf, outputOf, type SchemaTypesOf, shownFields } from '../graph/table-types.js';
import { type Fields, fieldTable, type ValuesOf } from '../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../kernel/fields/sealed.js';
import { type Receipt, receiptOf, registerReceipts } from './receipt.js';
import {
  receiptById,
  receiptByKey,
  receiptsByIds,
  receiptsByKeys,
  receiptsOfKind,
  seal,
  verifyReceipt,
} from './receipts.js';
import {
  RECEIPT_FIELDS,
  RECEIPT_ID,
  RECEIPT_VERIFICATION,
  SealedReceiptType,
} from './receipts-schema.js';
import type { TenantScope, WriteOptions } from './scope.js';

/** What a module says of a kind of receipt. */
export interface ReceiptDefinition<F extends Fields> {
  /** As it stands in the rows, such as `price_quote`; it is never changed. */
  readonly kind: string;
  /** The GraphQL type, such as `PriceBookReceipt`. */
  readonly type: string;
  readonly description: string;
  /** What is sealed. */
  readonly content: F;
  /**
   * Who may read them. With it three queries follow, as for `PriceBookReceipt`: `priceBookReceipt`,
   * `priceBookReceipts` and `priceBookReceiptVerification`.
   */
  readonly queries?: Permission;
  /** Brings a content that was sealed under earlier names into those of today. */
  readonly former?: (content: SealedContent) => SealedContent;
}

/** A kind of receipt: all that a module does with receipts of its own. */
export interface ReceiptKind<C> {
  readonly kind: string;
  /** The GraphQL type; it implements `SealedReceipt`. */
  readonly type: ObjectRef<SchemaTypesOf, Receipt<C>>;
  /**
   * Seals once by key; whoever comes later gets the first receipt, `alreadySealed`. In a
   * transaction of the caller, seal last: the tenant's other seals wait for its end.
   */
  seal(scope: TenantScope, key: string, content: C, options?: WriteOptions): Promise<Receipt<C>>;
  /** @throws invalid_receipt_id, not_found (also for a receipt of another tenant or kind) */
  byId(scope: TenantScope, id: string): Promise<Receipt<C>>;
  /** Those of the tenant's receipts that these ids name, by their ids: for rows that hold them. */
  byIds(
    scope: TenantScope,
    ids: readonly string[],
    options?: WriteOptions,
  ): Promise<ReadonlyMap<string, Receipt<C>>>;
  byKey(scope: TenantScope, key: string, options?: WriteOptions): Promise<Receipt<C> | undefined>;
  /** Those of the tenant's receipts that these keys name, by their keys. */
  byKeys(
    scope: TenantScope,
    keys: readonly string[],
    options?: WriteOptions,
  ): Promise<ReadonlyMap<string, Receipt<C>>>;
  /** A page, the latest sealed first. */
  page(scope: TenantScope, args: ConnectionArgs): Promise<KeysetPage<Receipt<C>>>;
}

/**
 * Defines a kind of receipt by the table of what it says. Sealed content, GraphQL type, reading and
 * verification follow from it.
 * @throws TypeError for a kind that is defined already, or a field that every receipt has
 */
export function receiptKind<F extends Fields>(
  definition: ReceiptDefinition<F>,
): ReceiptKind<ValuesOf<F>> {
  type Own = ValuesOf<F>;
  const { kind, type: name, description, former = (content) => content } = definition;
  const { fields } = fieldTable(name, description, definition.content);
  const taken = Object.keys(fields).filter((field) => RECEIPT_FIELDS.has(field));
  if (taken.length > 0) throw new TypeError(`${name}: every receipt has a ${taken.join(', ')}`);
  registerReceipts({ kind, type: name, open: (sealed) => openedContent(fields, former(sealed)) });
  const type = builder.objectRef<Receipt<Own>>(name).implement({
    description,
    interfaces: [builder.nodeInterfaceRef(), SealedReceiptType],
    fields: (t) => shownFields(t, fields, ({ content }: Receipt<Own>) => content) as never,
  });
  const receipts: ReceiptKind<Own> = {
    kind,
    type: type as unknown as ReceiptKind<Own>['type'],
    async seal(scope, key, content, options) {
      const sealed = await seal(scope, kind, key, sealedContent(fields, content), options);
      return receiptOf<Own>(sealed.receipt, sealed.alreadySealed);
    },
    byId: async (scope, id) => receiptOf<Own>(await receiptById(scope, id, kind)),
    async byIds(scope, ids, options) {
      const rows = await receiptsByIds(scope, kind, ids, options);
      return new Map(rows.map((row) => [row.id, receiptOf<Own>(row)]));
    },
    async byKey(scope, key, options) {
      const row = await receiptByKey(scope, kind, key, options);
      return row && receiptOf<Own>(row);
    },
    async byKeys(scope, keys, options) {
      const rows = await receiptsByKeys(scope, kind, keys, options);
      return new Map(rows.map((row) => [row.sealKey, receiptOf<Own>(row)]));
    },
    async page(scope, args) {
      const { edges, pageInfo } = await receiptsOfKind(scope, kind, args);
      const receiptEdges = edges.map(({ node, cursor }) => ({
        node: receiptOf<Own>(node),
        cursor,
      }));
      return { edges: receiptEdges, pageInfo };
    },
  };
  if (definition.queries) addQueries(name, receipts, definition.queries);
  return receipts;
}

function addQueries<C>(name: string, receipts: ReceiptKind<C>, permission: Permission): void {
  const { kind, type } = receipts;
  const field = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const authScopes = { can: permission };
  builder.queryFields((t) => ({
    [field]: t.field({
      type,
      description: `A ${name} by its id.`,
      authScopes,
      args: argsOf(t, RECEIPT_ID),
      resolve: (_root, { id }, ctx) => receipts.byId(authorized(ctx), id),
    }),
    [`${field}s`]: t.field({
      type: connectionOf(type),
      description: `Every ${name} of the organization, the latest sealed first.`,
      authScopes,
      complexity: pageComplexity,
      args: forwardArgs(t),
      resolve: (_root, args, ctx) => receipts.page(authorized(ctx), args) as never,
    }),
    [`${field}Verification`]: t.field({
      type: outputOf(RECEIPT_VERIFICATION),
      description: `Recomputes the hash of a ${name} and its links to the receipts beside it.`,
      authScopes,
      args: argsOf(t, RECEIPT_ID),
      resolve: (_root, { id }, ctx) => verifyReceipt(authorized(ctx), id, kind),
    }),
  }));
}
