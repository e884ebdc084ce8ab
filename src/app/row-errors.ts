import type { GraphQLSchema } from 'graphql';
import type { CompiledRow } from '../../rest-compat/row.js';
import { permissionOfField } from '../graph/builder.js';
import { MODULES } from '../graph/registration.js';
import type { ErrorCode } from '../kernel/errors/catalogue.js';

/** Codes that every row can fail with, since load is shed before anything is looked at. */
const OF_ALL: readonly ErrorCode[] = ['overloaded'];

/** Codes of whoever shows a credential. */
const OF_CREDENTIALS: readonly ErrorCode[] = [
  'invalid_api_key',
  'api_key_revoked',
  'invalid_token',
  'tenant_suspended',
];

/** The permission to call a model, and the modules whose rules such a call passes. */
const CALLS_MODELS = 'inference.run';
const ON_THE_WAY =
  /^(inference|access\/(policies|budgets)|finops\/(budgets|anomalies)|money\/ledger)/;

/**
 * The codes that a row can fail with, beside those of the transport: what the modules of its fields
 * raise, by the mutations and permissions that they have registered.
 */
export function codesOfRow(schema: GraphQLSchema): (row: CompiledRow) => readonly ErrorCode[] {
  return ({ contract, operationKind, rootFields }) => {
    const fields = schema.getRootType(operationKind as never)?.getFields() ?? {};
    const permissions = rootFields.map((name) => fields[name] && permissionOfField(fields[name]));
    const callsModel = permissions.includes(CALLS_MODELS) && contract.method === 'POST';
    const codes = [...MODULES].flatMap(([folder, { errors = {}, ...row }]) => {
      const mutations = Object.values(row.mutations ?? {}).flat();
      const own = Object.keys(row.permissions ?? {});
      const isTheirs =
        mutations.some((name) => rootFields.includes(name)) ||
        permissions.some((permission) => permission !== undefined && own.includes(permission));
      return isTheirs || (callsModel && ON_THE_WAY.test(folder)) ? Object.keys(errors) : [];
    });
    const shown = contract.auth === 'B' ? OF_CREDENTIALS : [];
    return [...OF_ALL, ...shown, ...(codes as ErrorCode[])];
  };
}
