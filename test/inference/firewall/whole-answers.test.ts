import { describe, expect, it } from 'vitest';
import { inspectResponse } from '../../../src/inference/firewall/inspect.js';
import { Vault } from '../../../src/inference/firewall/mask.js';
import {
  DEFAULT_MODES,
  FINDING_CLASSES,
  type FirewallModes,
} from '../../../src/kernel/firewall/vocabulary.js';

const MASK = Object.fromEntries(FINDING_CLASSES.map(({ code }) => [code, 'mask'])) as FirewallModes;
const DETECT = { ...DEFAULT_MODES, secret: 'detect' } as const;
const PHONE = '+7 912 345-67-89';
const NAME = 'O"Hara@corp.ru';

function vaultOfClient(): Vault {
  const vault = new Vault();
  vault.placeholderFor('phone', PHONE);
  vault.placeholderFor('email', NAME);
  return vault;
}

const tokenEntry = (token: string) => ({
  token,
  bytes: [...Buffer.from(token)],
  logprob: -0.5,
  top_logprobs: [{ token: '[[GW_X', bytes: [], logprob: -1 }],
});

describe('a whole answer whose request was masked', () => {
  it('is read in every member: texts, names, ids, arguments, annotations and sound', () => {
    const answer = (own: string, other: string, args: string) => ({
      id: 'c',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: [{ type: 'text', text: `о ${own}` }],
            reasoning_content: `о ${own}`,
            reasoning: `о ${other}`,
            reasoning_details: [{ type: 'reasoning.text', text: own }],
            annotations: [{ type: 'url_citation', url_citation: { title: own, url: other } }],
            audio: { id: 'a', transcript: `о ${own}`, data: 'AAAA', expires_at: 1_729_234_747 },
            function_call: { name: 'f', arguments: args },
            tool_calls: [
              { id: `call_${own}`, type: 'function', function: { name: 'f', arguments: args } },
              { id: '2', type: 'function', function: { arguments: { [own]: other } } },
              { id: '3', type: 'custom', custom: { name: own, input: other } },
            ],
          },
        },
      ],
      usage: null,
    });
    const said = answer('[[GW_PHONE_1]]', '[[GW_EMAIL_1]]', '{"[[GW_PHONE_1]]":"[[GW_EMAIL_1]]"}');
    const inspection = inspectResponse(said, DETECT, vaultOfClient());
    expect(inspection.body).toEqual(answer(PHONE, NAME, JSON.stringify({ [PHONE]: NAME })));
  });

  it('has what the model says itself masked in the new places as in the old ones', () => {
    const message = {
      content: 'a',
      reasoning: 'почта ivan@corp.ru',
      tool_calls: [{ function: { arguments: { phone: 79_161_234_567, to: 'ivan@corp.ru' } } }],
      audio: { transcript: 'ivan@corp.ru', expires_at: 1_729_234_747 },
    };
    const given = { id: 'ivan@corp.ru', citations: ['ivan@corp.ru'], choices: [{ message }] };
    const { body, masked } = inspectResponse(given, MASK, new Vault());
    expect([body.id, body.citations]).toEqual(['ivan@corp.ru', ['[email]']]);
    expect(body.choices[0]?.message).toEqual({
      content: 'a',
      reasoning: 'почта [email]',
      tool_calls: [{ function: { arguments: { phone: '[phone]', to: '[email]' } } }],
      audio: { transcript: '[email]', expires_at: 1_729_234_747 },
    });
    expect(masked).toEqual([
      { class: 'phone', count: 1 },
      { class: 'email', count: 4 },
    ]);
  });

  it('has log probabilities that read as its text', () => {
    const tokens = ['Звоните', ' [[', 'GW_PHONE', '_1', ']]', '.'];
    const choice = {
      message: { content: tokens.join('') },
      logprobs: { content: tokens.map(tokenEntry), refusal: null, tokens },
    };
    const { body } = inspectResponse({ choices: [choice] }, DETECT, vaultOfClient());
    const { logprobs, message } = body.choices[0] as typeof choice;
    expect(message.content).toBe(`Звоните ${PHONE}.`);
    expect(logprobs.content.map(({ token }) => token).join('')).toBe(message.content);
    expect(JSON.stringify(body)).not.toContain('GW_PHONE');
    expect(Object.keys(logprobs)).toEqual(['content', 'refusal']);
  });
});
