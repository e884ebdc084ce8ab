import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';

/** The types of wire-types.d.mts: what a client believes that the wire answers. */
export type WireType =
  | 'WireCompletion'
  | 'WireChunk'
  | 'WireEmbeddings'
  | 'WireModel'
  | 'WireError';

const FILE = fileURLToPath(new URL('./wire-types.d.mts', import.meta.url));

/**
 * Makes validators from the type declarations of the installed client package, anew in each run:
 * a new version of the client brings its own rules. Further members of objects are allowed, as
 * clients ignore them.
 */
export function clientValidators(): (type: WireType) => ValidateFunction {
  const schema = createGenerator({
    path: FILE,
    type: '*',
    expose: 'export',
    skipTypeCheck: true,
    additionalProperties: true,
  }).createSchema('*');
  // Formats of the declarations say how a number is printed; nothing here depends on them.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  ajv.addSchema(schema, 'wire');
  return (type) => {
    const validate = ajv.getSchema(`wire#/definitions/${type}`);
    if (!validate) throw new Error(`the client package has no ${type}`);
    return validate as ValidateFunction;
  };
}
