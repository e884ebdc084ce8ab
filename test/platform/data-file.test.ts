import { expect, it } from 'vitest';
import { z } from 'zod';
import { dataFile } from '../../src/platform/data-file.js';

const GAPS = 'src/delivery/migration/gaps.yaml';

it('a data file is read by its schema', () => {
  const codes = dataFile(GAPS, z.array(z.object({ code: z.string() })));
  expect(codes[0]).toEqual({ code: 'vectors_of_another_model' });
});

it('one that does not fit is refused, with every fault and its place', () => {
  const read = () => dataFile(GAPS, z.tuple([z.strictObject({ code: z.number() })]));
  expect(read).toThrow(/^src\/delivery\/migration\/gaps\.yaml has faults:/);
  expect(read).toThrow(/"capability".*at \[0\]\n.*number.*at \[0\]\.code/s);
});

it('one that is no YAML, or whose patterns are none, is named too', () => {
  const noYaml = () => dataFile('src/kernel/README.md', z.any());
  expect(noYaml).toThrow('src/kernel/README.md has faults:');
  const unclosed = '^(?:open';
  const pattern = z.array(z.unknown()).transform(() => new RegExp(unclosed));
  expect(() => dataFile(GAPS, pattern)).toThrow(/gaps\.yaml has faults:\s+SyntaxError/);
});
