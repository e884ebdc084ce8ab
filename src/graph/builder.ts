import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import SimpleObjectsPlugin from '@pothos/plugin-simple-objects';
import type { GraphQLField, GraphQLResolveInfo } from 'graphql';
import type PrismaTypes from '../generated/pothos.js';
import { getDatamodel } from '../generated/pothos.js';
import { kindOfId } from '../kernel/ids.js';
import './argument-guard.js';
import './connection-type.js';
import type { Ctx } from './ctx.js';
import { PAGE_DEFAULT, PAGE_MAX } from './limits.js';
import { loadNode, refusal } from './node.js';
import { PAGE_TEXTS } from './page-texts.js';
import type { Permission } from './permissions.js';
import { rowBatches } from './row-batches.js';
import {
  BigIntScalar,
  DateScalar,
  DateTimeScalar,
  JsonScalar,
  PeriodBeginScalar,
  PeriodEndScalar,
  RubScalar,
  Sha256Scalar,
} from './scalars.js';

declare global {
  namespace GatewaySchema {
    /** The scalars by name; a module adds its own where it defines them. */
    interface Scalars {
      ID: { Input: string; Output: string };
      Rub: { Input: bigint; Output: bigint };
      Sha256: { Input: string; Output: string | Uint8Array };
      DateTime: { Input: Date; Output: Date };
      PeriodBegin: { Input: Date; Output: Date };
      PeriodEnd: { Input: Date; Output: Date };
      Date: { Input: string; Output: string | Date };
      BigInt: { Input: bigint; Output: bigint };
      JSON: { Input: unknown; Output: unknown };
    }
  }
}

/** The one schema builder. Modules add their types to it when they are imported. */
export const builder = new SchemaBuilder<{
  Context: Ctx;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  AuthScopes: { can: Permission; member: boolean };
  Scalars: { [Name in keyof GatewaySchema.Scalars]: GatewaySchema.Scalars[Name] };
}>({
  plugins: [
    ScopeAuthPlugin,
    'argumentGuard',
    SimpleObjectsPlugin,
    RelayPlugin,
    PrismaPlugin,
    DataloaderPlugin,
    ComplexityPlugin,
  ],
  defaultFieldNullability: false,
  prisma: {
    client: rowBatches,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    filterConnectionTotalCount: true,
    maxConnectionSize: PAGE_MAX,
    defaultConnectionSize: PAGE_DEFAULT,
    onUnusedQuery: null,
  },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    ...PAGE_TEXTS,
    nodesOnConnection: {
      description: 'The items of the page in the order of the list, without their cursors.',
      complexity: EACH_ITEM(),
    },
    edgesFieldOptions: {
      description: 'The items of the page in the order of the list, each with its cursor.',
      nullable: { list: false, items: false },
      complexity: EACH_ITEM(),
    },
    nodeFieldOptions: { description: 'The item that stands at this place.', nullable: false },
    nodeTypeOptions: {
      description: 'A thing that has an id of its own, by which `node` and `nodes` find it again.',
    },
    idFieldOptions: {
      description: 'The id of the thing: unique among all things, and the same for ever.',
    },
    nodeQueryOptions: {
      description: 'The thing that an id names, of whatever type, for callers who may list it.',
      args: { id: { description: 'The id of the thing, as any field `id` shows it.' } },
      resolve: (_root, { id }, ctx, _info, load) => loadNode(ctx, String(id.id), () => load(id)),
    },
    // The plugin would read each thing with a statement of its own; `nodes.ts` reads each kind.
    nodesQueryOptions: false,
    encodeGlobalID: (_typename, id) => String(id),
    decodeGlobalID: (id) => ({ typename: kindOfId(id) ?? 'Unknown', id }),
  },
  scopeAuth: {
    authorizeOnSubscribe: true,
    treatErrorsAsUnauthorized: false,
    authScopes: (ctx) => ({
      can: (permission) => ctx.who?.permissions.has(permission) ?? false,
      member: () => ctx.who?.kind === 'user' && !ctx.who.mustEnrol,
    }),
    unauthorizedError: (_parent, ctx, info) => refusal(ctx, requiredPermission(info)),
  },
  // Limits are kept where operations are priced: compiled REST rows are within them.
  complexity: {
    defaultComplexity: 0,
    defaultListMultiplier: 10,
  },
});

/** An item costs one point; how many there may be is the multiplier of the connection. */
function EACH_ITEM() {
  return { field: 1, multiplier: 1 } as const;
}

/** The permission that a root field asks for, undefined for public fields. */
export function permissionOfField(field: GraphQLField<unknown, unknown>): Permission | undefined {
  const options = field.extensions.pothosOptions as
    | { authScopes?: { can?: Permission } }
    | undefined;
  return options?.authScopes?.can;
}

function requiredPermission(info: GraphQLResolveInfo): string {
  const field = info.parentType.getFields()[info.fieldName];
  return (field && permissionOfField(field)) ?? 'of a member';
}

builder.addScalarType('Rub', RubScalar);
builder.addScalarType('Sha256', Sha256Scalar);
builder.addScalarType('DateTime', DateTimeScalar);
builder.addScalarType('PeriodBegin', PeriodBeginScalar);
builder.addScalarType('PeriodEnd', PeriodEndScalar);
builder.addScalarType('Date', DateScalar);
builder.addScalarType('BigInt', BigIntScalar);
builder.addScalarType('JSON', JsonScalar);

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed, by subject and verb.' });
builder.subscriptionType({
  description:
    'Live feeds. Every event is a row before it is sent: a cursor resumes without a gap, an id ' +
    'removes doubles.',
});
