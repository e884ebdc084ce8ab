import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { type LiveApp, startLiveApp } from '../support/live-app.js';
import { comparable, graphqlVoice, type Json, restVoice, Story, type Voice } from './voices.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app.stop());

const SECRET = 'sk-or-v1-4e1f9b7c2d8a60537f1c9e4b8a2d6f30';
const CONFIG = [
  'OPENAI_BASE_URL=https://openrouter.ai/api/v1',
  `OPENAI_API_KEY=${SECRET}`,
  'OPENAI_MODEL=openai/gpt-4o-mini',
].join('\n');

interface ChecklistItem {
  readonly code: string;
  readonly done: boolean;
  readonly closed_by: string;
}

/** The open items of a checklist. */
function open(answer: Json): string[] {
  return (answer.checklist as ChecklistItem[]).filter(({ done }) => !done).map(({ code }) => code);
}

/** Imports, scans, compares, is held, mends it, cuts over and rolls back. */
async function migration(voice: Voice): Promise<Json> {
  const { token, key } = await newCustomer(app, 500);
  const stranger = await newCustomer(app, 500);
  const story = new Story(voice);
  const imported = await story.step('import', 'ImportMigrationConfig', {
    kind: 'env',
    content: CONFIG,
  });
  const project = await story.step(
    'create',
    'CreateProviderMigration',
    {
      migration_key: 'support-chat',
      source_provider: 'openrouter',
      source_base_url: imported.detected_base_url,
      source_model: imported.detected_model,
    },
    token,
  );
  const { id } = project;
  const used = { id, used_capabilities: ['chat', 'streaming', 'json_schema'] };
  await story.step('scan', 'ScanProviderMigration', used, token);
  // The price of a thousand tokens instead of a million: the route seems far too dear.
  const wrong = { id, source_cost_per_1m_rub: 0.06 };
  await story.step('compare wrongly', 'CompareProviderMigration', wrong, token);
  const held = await story.step('held', 'CutOverProviderMigration', { id }, token);
  const right = { id, source_cost_per_1m_rub: 60 };
  await story.step('compare', 'CompareProviderMigration', right, token);
  const blocked = await story.step('blocked', 'CutOverProviderMigration', { id }, token);
  const policy = { name: 'production', hybrid: 'rf_only', budgets: { daily_rub: 100 } };
  await restVoice(app)('CreatePolicy', policy, token);
  await restVoice(app)('CreateChatCompletion', ASKED, key);
  await story.refused('a stranger cuts over', 'CutOverProviderMigration', { id }, stranger.token);
  await story.step('conditional', 'CutOverProviderMigration', { id }, token);
  const acknowledgements = [
    { code: 'quality_unknown', reason: 'fifty answers were judged' },
    { code: 'evidence_short', reason: 'the pilot was small' },
  ];
  const accepted = { id, acknowledgements };
  const done = await story.step('cut over', 'CutOverProviderMigration', accepted, token);
  await story.step('receipt', 'GetMigrationReceipt', { id }, token);
  await story.step('roll back', 'RollBackProviderMigration', { id }, token);
  await story.step('detail', 'GetProviderMigration', { id }, token);
  return { ...story.told, open: [open(held), open(blocked), open(done)] };
}

const ASKED = { model: 'gw:auto', messages: [{ role: 'user', content: 'Здравствуйте' }] };

describe('a customer who moves here', () => {
  it('is the same story through REST and through GraphQL', async () => {
    const told = comparable(await migration(restVoice(app))) as Json;
    expect(comparable(await migration(graphqlVoice(app)))).toEqual(told);
    expect(JSON.stringify(told)).not.toContain(SECRET.slice(9));
    expect(told).toMatchObject({
      import: {
        detected_provider: 'openrouter',
        detected_base_url: 'https://openrouter.ai/api/v1',
        detected_model: 'openai/gpt-4o-mini',
        api_key_present: true,
        proposed_aliases: [{ alias: 'openai/gpt-4o-mini', target: 'gw:auto' }],
      },
      create: {
        status: 'draft',
        aliases: [{ alias: 'openai/gpt-4o-mini', target: 'gw:auto' }],
        rollback_plan: { base_url: 'https://openrouter.ai/api/v1' },
      },
      scan: { score: expect.any(Number), project: { status: 'scanned' } },
      'compare wrongly': {
        status: 'compared',
        migration_receipt: { cutover_decision: 'hold', quality: 'not_measured' },
      },
      held: { decision: 'blocked', project: { status: 'compared' } },
      compare: { status: 'ready', migration_receipt: { cutover_decision: 'conditional' } },
      blocked: { decision: 'blocked', project: { status: 'ready' } },
      'a stranger cuts over': 'not_found',
      conditional: { decision: 'blocked', open_conditions: ['quality_unknown', 'evidence_short'] },
      'cut over': {
        decision: 'cut_over',
        aliases: [{ alias: 'openai/gpt-4o-mini', version: 1, created: true }],
        project: { status: 'cut_over' },
      },
      'roll back': { status: 'rolled_back' },
    });
    expect(told.open).toEqual([
      ['comparison', 'data_route', 'monitoring', 'live_traffic'],
      ['data_route', 'monitoring', 'live_traffic'],
      [],
    ]);
    const { history } = told.detail as { history: { event: string }[] };
    expect(history.map(({ event }) => event)).toEqual([
      'rolled_back',
      'cut_over',
      'cutover_blocked',
      'cutover_blocked',
      'compared',
      'cutover_blocked',
      'compared',
      'scanned',
      'created',
    ]);
  });
});
