import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutoverFaults, projectFaults } from '../../../src/delivery/migration/input.rules.js';
import { completedPlan, rollbackPlanOf } from '../../../src/delivery/migration/rollback.rules.js';
import {
  CUTOVER_INPUT,
  PROJECT_INPUT,
  type RollbackWish,
} from '../../../src/delivery/migration/tables.js';
import { inputValues } from '../../../src/kernel/fields/faults.js';

function pathsOf(change: Readonly<Record<string, unknown>>): string[] {
  const draft = inputValues(PROJECT_INPUT.fields, { migrationKey: 'support-chat', ...change });
  return projectFaults(draft).map(({ path }) => path);
}

function rollbackFaults(rollback: RollbackWish) {
  return cutoverFaults(inputValues(CUTOVER_INPUT.fields, { rollback }));
}

describe('a new migration', () => {
  it.each(['a', 'support-chat', 'Support_2.0', 'x'.repeat(80)])(
    'may be called %s',
    (migrationKey) => {
      expect(pathsOf({ migrationKey })).toEqual([]);
    },
  );

  it.each(['', ' ', '-a', 'a b', 'ключ', 'x'.repeat(81), 'a/b', 'a\n'])(
    'may not be called %j',
    (migrationKey) => {
      expect(pathsOf({ migrationKey })).toEqual(['input.migrationKey']);
    },
  );

  it('has every fault named at once', () => {
    expect(
      pathsOf({
        migrationKey: '',
        sourceBaseUrl: 'ftp://example.com',
        sourceModel: ' ',
        useCases: ['fine', ''],
        rollback: { baseUrl: 'nowhere', keyName: 'sk-live', scope: 'x'.repeat(201), model: '' },
      }),
    ).toEqual([
      'input.migrationKey',
      'input.sourceModel',
      'input.useCases.1',
      'input.rollback.model',
      'input.rollback.scope',
      'input.sourceBaseUrl',
      'input.rollback.baseUrl',
      'input.rollback.keyName',
    ]);
    expect(pathsOf({ useCases: Array.from({ length: 51 }, () => 'x') })).toEqual([
      'input.useCases',
    ]);
  });
});

describe('an address', () => {
  it.each([
    'https://api.example.com/v1',
    'http://10.0.0.5:8000/v1',
    'https://x.openai.azure.com/openai/deployments/d?api-version=2024-06-01',
  ])('may be %s', (baseUrl) => {
    expect(rollbackFaults({ baseUrl })).toEqual([]);
  });

  it('with a credential is refused, and the message does not repeat it', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{12,30}$/).map((text) => `Zq${text}`);
    const shapes = fc.constantFrom<(secret: string) => string>(
      (key) => `https://user:${key}@api.example.com/v1`,
      (key) => `https://${key}@api.example.com/v1`,
      (key) => `https://api.example.com/v1?key=${key}`,
      (key) => `https://api.example.com/v1?api-version=2024&token=${key}`,
      (key) => `https://api.example.com/v1#${key}`,
      (key) => `javascript:${key}`,
      (key) => `${key} is no address`,
    );
    fc.assert(
      fc.property(secret, shapes, (key, write) => {
        const faults = rollbackFaults({ baseUrl: write(key) });
        expect(faults).toHaveLength(1);
        expect(JSON.stringify(faults)).not.toContain(key);
      }),
    );
  });
});

describe('an address that cannot be kept', () => {
  it.each(['', 'nowhere', 'https://', 'https://a.example/\ud800', `https://${'a'.repeat(2_048)}`])(
    'is refused: %j',
    (baseUrl) => {
      expect(rollbackFaults({ baseUrl }).map(({ path }) => path)).toEqual([
        'input.rollback.baseUrl',
      ]);
    },
  );
});

describe('the name of the old key', () => {
  it.each(['OPENAI_API_KEY', 'key', '_k'])('may be %s', (keyName) => {
    expect(rollbackFaults({ keyName })).toEqual([]);
  });

  it.each(['sk-abc', 'sk_live_abc', 'gw_sk_abc', 'a-b', '1a', 'x'.repeat(65), ''])(
    'may not be %j',
    (keyName) => {
      expect(rollbackFaults({ keyName }).map(({ path }) => path)).toEqual([
        'input.rollback.keyName',
      ]);
    },
  );
});

describe('the rollback plan', () => {
  const SOURCE = {
    sourceProvider: 'openai',
    sourceBaseUrl: null,
    sourceModel: null,
    useCases: [],
    wish: {},
  } as const;

  it('always exists, and says what it cannot know', () => {
    expect(rollbackPlanOf({ ...SOURCE, sourceProvider: 'other' })).toMatchObject({
      baseUrl: null,
      model: null,
      keyName: 'OTHER_API_KEY',
      scope: 'all clients of the migration',
      provenance: { baseUrl: 'unknown', model: 'unknown', keyName: 'default', scope: 'default' },
      fillIn: [
        'base_url: the base address that your clients had',
        'model: the model name that your clients sent',
      ],
    });
  });

  it('takes the address of the provider where none was stated', () => {
    const plan = rollbackPlanOf({ ...SOURCE, useCases: ['chat', 'search'] });
    expect(plan.baseUrl).toBe('https://api.openai.com/v1');
    expect(plan.provenance.baseUrl).toBe('default');
    expect(plan.scope).toBe('use cases: chat, search');
  });

  it('takes what is stated before what the source says', () => {
    const plan = rollbackPlanOf({
      ...SOURCE,
      sourceBaseUrl: 'https://source.example/v1',
      sourceModel: 'one',
      wish: { model: 'two', keyName: 'KEY', scope: 'the bot' },
    });
    expect(plan).toEqual({
      baseUrl: 'https://source.example/v1',
      model: 'two',
      keyName: 'KEY',
      scope: 'the bot',
      provenance: {
        baseUrl: 'declared',
        model: 'declared',
        keyName: 'declared',
        scope: 'declared',
      },
      fillIn: [],
      steps: [
        'Set the base address of the clients back to https://source.example/v1.',
        'Set their model back to two.',
        'Let them read the old key from KEY.',
        'Restart the clients (the bot).',
        'Revoke the keys of the gateway that only these clients used (DELETE /api-keys/{id}).',
      ],
    });
  });

  it('is completed later without losing what it has', () => {
    const plan = rollbackPlanOf({ ...SOURCE, sourceProvider: 'other', wish: { scope: 'the bot' } });
    const completed = completedPlan(plan, { baseUrl: 'https://old.example', model: 'm' });
    expect(completed).toMatchObject({
      baseUrl: 'https://old.example',
      model: 'm',
      scope: 'the bot',
      provenance: {
        baseUrl: 'declared',
        model: 'declared',
        keyName: 'default',
        scope: 'declared',
      },
      fillIn: [],
    });
    expect(completedPlan(completed, {})).toEqual(completed);
  });
});
