import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';
import type { Wire } from './wire-types.js';

const FILE = fileURLToPath(new URL('./wire-types.ts', import.meta.url));

/**
 * Makes validators from the type declarations of the installed client package, anew in each run:
 * a new version of the client brings its own rules. Further members of objects are allowed, as
 * clients ignore them.
 */
export function clientValidators(): (name: keyof Wire) => ValidateFunction {
  const schema = createGenerator({
    path: FILE,
    type: 'Wire',
    skipTypeCheck: true,
    additionalProperties: true,
  }).createSchema('Wire');
  // Formats of the declarations say how a number is printed; nothing here depends on them.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  ajv.addSchema(schema, 'wire');
  return (name) => {
    const validate = ajv.getSchema(`wire#/definitions/Wire/properties/${name}`);
    if (!validate) throw new Error(`there is no type for ${name}`);
    return validate as ValidateFunction;
  };
}
