import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';
import { ARTIFACT_STATUSES, ARTIFACT_VISIBILITIES } from './vocabulary.js';

const ARTIFACT = z
  .strictObject({
    code: z.string().regex(/^[a-z][a-z0-9_]*$/),
    title: z.string().min(1),
    visibility: z.enum(ARTIFACT_VISIBILITIES.codes),
    status: z.enum(ARTIFACT_STATUSES.codes),
    path: z.string().startsWith('/').optional(),
    note: z.string().optional(),
  })
  .refine(({ status, path }) => (status === 'available') === (path !== undefined), {
    error: 'has a path when it is available, and only then',
  });
const FILE = z.strictObject({ artifacts: z.array(ARTIFACT).min(1) });

/** The documents of the trust centre, in the order of the file. */
export const ARTIFACTS = dataFile('src/assurance/trust/artifacts.yaml', FILE).artifacts.map(
  ({ path = null, note = null, ...row }) => ({ ...row, path, note }),
);
