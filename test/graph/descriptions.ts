import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

/** What a part of the schema says about itself; empty where it says nothing. */
interface Description {
  /** `Type`, `Type.field`, `Type.field(argument)` or `Enum.value`. */
  readonly place: string;
  readonly text: string;
}

interface Described {
  readonly name: string;
  readonly description?: string | null;
}

/** Every description that customers can read. */
export function descriptionsOf(schema: GraphQLSchema): Description[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type))
    .flatMap((type) => [said(type.name, type), ...partsOf(type)]);
}

function partsOf(type: GraphQLNamedType): Description[] {
  const at = (part: Described) => said(`${type.name}.${part.name}`, part);
  if (isEnumType(type)) return type.getValues().map(at);
  if (isInputObjectType(type)) return Object.values(type.getFields()).map(at);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    at(field),
    ...field.args.map((arg) => said(`${type.name}.${field.name}(${arg.name})`, arg)),
  ]);
}

function said(place: string, { description }: Described): Description {
  return { place, text: description ?? '' };
}
