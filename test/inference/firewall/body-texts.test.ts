import { describe, expect, it } from 'vitest';
import { remainingDataClass } from '../../../src/inference/firewall/finding.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const MASKING = { ...DEFAULT_MODES, phone: 'mask', email: 'mask' } as const;
const PHONE = '+79123456789';

describe('what leaves in a request', () => {
  it.each([
    ['the user', { user: PHONE }],
    ['metadata', { metadata: { note: PHONE } }],
    ['the name of a message', { messages: [{ role: 'user', name: PHONE, content: 'a' }] }],
    [
      'the description of a tool',
      { tools: [{ type: 'function', function: { name: 'call', description: `Call ${PHONE}` } }] },
    ],
    [
      'a schema',
      { response_format: { type: 'json_schema', json_schema: { schema: { enum: [PHONE] } } } },
    ],
    ['a member that the gateway does not know', { vendor_extension: { deep: [{ x: PHONE }] } }],
  ])('is masked in %s too', (_place, members) => {
    const body = { model: 'a', messages: [{ role: 'user', content: 'a' }], ...members };
    const inspection = inspectRequest(body, MASKING);
    expect(JSON.stringify(inspection.body)).not.toContain(PHONE);
    expect(JSON.stringify(inspection.body)).toContain('[[GW_PHONE_1]]');
    expect(inspection).toMatchObject({ verdict: 'masked', dataClass: 'C3' });
  });

  it('keeps the name of the model, images and token arrays as they are', () => {
    const bytes = Buffer.from([137, ...Array.from({ length: 80 }, (_, index) => index)]);
    const url = `data:image/png;base64,${bytes.toString('base64')}`;
    const image = { type: 'image_url', image_url: { url } };
    const body = { model: PHONE, messages: [{ role: 'user', content: [image] }] };
    expect(inspectRequest(body, MASKING).body).toBe(body);
    const tokens = { model: 'a', input: [7912, 3456789] };
    expect(inspectRequest(tokens, MASKING).body).toBe(tokens);
  });
});

describe('the class of what remains', () => {
  it('counts only what the modes leave in the text', () => {
    const findings = [
      { class: 'phone', count: 1, confidence: 'confirmed' },
      { class: 'ogrn', count: 1, confidence: 'confirmed' },
    ] as const;
    expect(remainingDataClass(findings, DEFAULT_MODES)).toBe('C3');
    expect(remainingDataClass(findings, MASKING)).toBe('C1');
    expect(remainingDataClass([], MASKING)).toBe('C0');
  });
});
