import {
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  type GraphQLType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { IdScalar } from './scalars.js';

/**
 * Puts the gateway's `ID` in the place of the built-in one, which the builder hands out whatever it
 * was given. So an id that is no uuid is refused where arguments are read, in every operation.
 */
export function withOwnIds(schema: GraphQLSchema): GraphQLSchema {
  const types = schema.getTypeMap();
  for (const type of Object.values(types)) {
    if (isInputObjectType(type)) replaceIn(Object.values(type.getFields()));
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const fields = Object.values(type.getFields());
    replaceIn(fields);
    replaceIn(fields.flatMap((field) => field.args));
  }
  types[IdScalar.name] = IdScalar;
  return schema;
}

function replaceIn(places: readonly { type: GraphQLType }[]): void {
  for (const place of places) place.type = replaced(place.type);
}

function replaced(type: GraphQLType): GraphQLType {
  if (isNonNullType(type)) return new GraphQLNonNull(replaced(type.ofType));
  if (isListType(type)) return new GraphQLList(replaced(type.ofType));
  return type.name === IdScalar.name ? IdScalar : type;
}
