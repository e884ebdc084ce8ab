import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';
import { CAPABILITIES, SEVERITIES, SOURCE_PROVIDERS } from './vocabulary.js';

const GAP = z.strictObject({
  code: z.string().regex(/^[a-z_]+$/),
  /** The gap concerns clients that use this. */
  capability: z.enum(CAPABILITIES.codes),
  /** The source it is about; null for every source. */
  provider: z.enum(SOURCE_PROVIDERS.codes).nullable().default(null),
  severity: z.enum(SEVERITIES.codes),
  description: z.string(),
  workaround: z.string(),
});

/** The documented gaps. A scan looks here; it does not probe anything. */
export const DOCUMENTED_GAPS = dataFile(
  'src/delivery/migration/gaps.yaml',
  z.array(GAP).readonly(),
);
