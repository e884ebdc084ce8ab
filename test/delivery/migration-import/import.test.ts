import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORTS_PER_MINUTE } from '../../../src/delivery/migration-import/vocabulary.js';
import { outcome } from '../../journeys/people.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';

const PATH = '/v1/gw/migration/import-config';
const KIB = 1024;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

function importConfig(body: Readonly<Record<string, unknown>>) {
  return rest(app, 'POST', PATH, { body });
}

describe('POST /v1/gw/migration/import-config', () => {
  it('answers without a credential what the text says, each finding with its line', async () => {
    const content = 'OPENAI_BASE_URL=https://openrouter.ai/api/v1\nOPENAI_API_KEY=sk-or-v1-1\n';
    const { status, body } = await importConfig({ kind: 'env', content });
    const address = 'https://openrouter.ai/api/v1';
    const first = { line: 1, text: `OPENAI_BASE_URL=${address}` };
    const second = { line: 2, text: 'OPENAI_API_KEY=[redacted]' };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        kind: 'env',
        detected_provider: 'openrouter',
        other_providers: ['openai'],
        detected_base_url: address,
        detected_model: null,
        detected_models: [],
        suggested_capabilities: ['chat'],
        suggested_gateway_models: [],
        proposed_aliases: [],
        api_key_present: true,
        api_key_names: ['OPENAI_API_KEY'],
        findings: [
          { type: 'provider', value: 'openrouter', says: 'calls a host of the provider', ...first },
          { type: 'provider', value: 'openai', says: 'is named after the provider', ...first },
          { type: 'base_url', value: address, says: 'states the base address', ...first },
          { type: 'api_key', value: 'OPENAI_API_KEY', says: 'gives a key', ...second },
          {
            type: 'capability',
            value: 'chat',
            says: 'gives a key, and nothing says for what else',
            ...second,
          },
        ],
        warnings: [],
        parse_faults: [],
        migrated: `OPENAI_BASE_URL=${app.url}/v1\nOPENAI_API_KEY=YOUR_GATEWAY_KEY\n`,
      },
    });
  });

  it.each([
    ['an unknown kind', { kind: 'envv', content: 'A=1' }, 'kind', 'Did you mean env?'],
    ['no kind', { content: 'A=1' }, 'kind', 'required'],
    ['no content', { kind: 'env' }, 'content', 'required'],
    ['blank content', { kind: 'env', content: ' \n' }, 'content', 'is empty'],
    ['content of another type', { kind: 'env', content: 1 }, 'content', 'content'],
    ['U+0000', { kind: 'env', content: 'A=\u0000' }, 'content', 'U+0000'],
    [
      '256 KiB and one byte',
      { kind: 'env', content: 'a'.repeat(256 * KIB + 1) },
      'content',
      '262144',
    ],
    [
      '32 KiB and one byte of YAML',
      { kind: 'litellm', content: 'a'.repeat(32 * KIB + 1) },
      'content',
      '32768',
    ],
    [
      'a kind that cannot be told',
      { kind: 'auto', content: 'hello world' },
      'kind',
      'name one of env',
    ],
  ])('refuses %s', async (_name, body, param, part) => {
    const answer = await importConfig(body);
    const { error } = answer.body as { error: { param: string; message: string } };
    expect([outcome(answer), error.param]).toEqual(['400 invalid_request', param]);
    expect(error.message).toContain(part);
  });

  it('takes 256 KiB', async () => {
    const content = `OPENAI_MODEL=gpt-4o\n${'#'.repeat(256 * KIB - 20)}`;
    expect((await importConfig({ kind: 'auto', content })).body).toMatchObject({
      kind: 'env',
      detected_model: 'gpt-4o',
    });
  });

  it('is the same over GraphQL', async () => {
    const { data } = await graphql(
      app,
      'query($content: String!) { migrationConfigImport(kind: auto, content: $content) { kind } }',
      { content: 'import os\nfrom openai import OpenAI\n' },
    );
    expect(data).toEqual({ migrationConfigImport: { kind: 'python' } });
  });

  it('publishes its kinds', async () => {
    const { data } = await graphql(
      app,
      '{ reference(name: "migration.import_kind") { entries { code } } }',
    );
    const codes = ['auto', 'env', 'python', 'node', 'langchain', 'litellm', 'docker_compose'];
    const entries = [...codes, 'n8n', 'make', 'flowise', 'langflow', 'curl'].map((code) => ({
      code,
    }));
    expect(data).toEqual({ reference: { entries } });
  });

  it('has a share for each address, so that nobody keeps a node busy with parsing', async () => {
    const outcomes = new Set<string>();
    // The share fills up again meanwhile, one text a second.
    for (let asked = 0; asked <= 5 * IMPORTS_PER_MINUTE && outcomes.size < 2; asked += 1) {
      outcomes.add(outcome(await importConfig({ kind: 'env', content: 'A=1' })));
    }
    expect(outcomes).toEqual(new Set(['200', '429 rate_limit_requests']));
  });
});
