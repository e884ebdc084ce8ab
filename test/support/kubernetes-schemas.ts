import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';
import type { Manifest } from './helm-chart.js';
import type { Kinds } from './kubernetes-types.js';

const FILE = fileURLToPath(new URL('./kubernetes-types.ts', import.meta.url));

/**
 * What is wrong with a manifest by the published types of Kubernetes: members that are missing, are
 * of another kind or that it does not know. Empty where nothing is.
 */
export function manifestFaults(): (manifest: Manifest) => string[] {
  const schema = createGenerator({
    path: FILE,
    type: 'Kinds',
    skipTypeCheck: true,
    additionalProperties: false,
  }).createSchema('Kinds');
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  ajv.addSchema(schema, 'kubernetes');
  return (manifest) => {
    const kind = `${manifest.apiVersion} ${manifest.kind}` as keyof Kinds;
    const place = `kubernetes#/definitions/Kinds/properties/${encodeURIComponent(
      kind.replaceAll('/', '~1'),
    )}`;
    const validate = ajv.getSchema(place);
    if (!validate) return [`${kind} is not a kind that is known here`];
    validate(manifest);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${kind} ${manifest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}
