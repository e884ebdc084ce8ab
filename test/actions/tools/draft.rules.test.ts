import { describe, expect, it } from 'vitest';
import { argumentFaults } from '../../../src/actions/tools/arguments-schema.js';
import { readContract, storedContract } from '../../../src/actions/tools/contract.js';
import {
  contractOf,
  draftFaults,
  TOOL_DRAFT,
  type ToolDraft,
} from '../../../src/actions/tools/draft.js';
import { VERBS } from '../../../src/actions/tools/vocabulary.js';
import { inputValues } from '../../../src/kernel/fields/faults.js';

type Change = Readonly<Record<string, unknown>> & {
  readonly verbs?: readonly (string | object)[];
};

/** A draft as GraphQL hands it over; a text stands for the verb of that name. */
function draftOf({ verbs = ['read'], ...change }: Change): ToolDraft {
  const named = verbs.map((verb) => (typeof verb === 'string' ? { verb } : verb));
  return inputValues(TOOL_DRAFT.fields, { toolKey: 'desk', verbs: named, ...change });
}

const DRAFT = draftOf({});

function faultsOf(change: Change): string[] {
  return draftFaults(draftOf(change)).map(({ path, code }) => `${path} ${code}`);
}

describe('a contract', () => {
  it('needs a key and a verb and nothing else', () => {
    expect(draftFaults(DRAFT)).toEqual([]);
    expect(contractOf(DRAFT, 1)).toEqual({
      toolKey: 'desk',
      name: null,
      description: null,
      verbs: [
        {
          verb: 'read',
          origin: 'published',
          risk: 'low',
          readOnly: true,
          destructive: false,
          requiresApproval: false,
          compensatingVerb: null,
          argumentsSchema: null,
          amountField: null,
          recordsField: null,
        },
      ],
      risk: 'low',
      destructive: false,
      requiresApproval: false,
      connector: 'simulated',
      endpointUrl: null,
      timeoutMs: 10_000,
      approvalExpiresSeconds: 86_400,
      amountMicroMaxAuto: null,
      signingGeneration: 1,
    });
  });

  it('may use every published verb', () => {
    expect(faultsOf({ verbs: VERBS.codes })).toEqual([]);
  });

  it.each<[Change, string[]]>([
    [{ toolKey: '' }, ['input.toolKey out_of_range']],
    [{ toolKey: 'A b' }, ['input.toolKey invalid']],
    [{ toolKey: 'a'.repeat(65) }, ['input.toolKey out_of_range']],
    [{ name: ' ' }, ['input.name out_of_range']],
    [{ description: 'x'.repeat(1_001) }, ['input.description out_of_range']],
    [{ verbs: [] }, ['input.verbs out_of_range']],
    [{ verbs: Array.from({ length: 100 }, () => 'read') }, ['input.verbs out_of_range']],
    [{ verbs: ['fly'] }, ['input.verbs.0.verb unknown_value']],
    [{ verbs: [{ verb: 'delete', risk: 'low' }] }, ['input.verbs.0.risk invalid']],
    [{ verbs: [{ verb: 'Fly-by', risk: 'low' }] }, ['input.verbs.0.verb invalid']],
    [{ verbs: [{ verb: 'f'.repeat(41), risk: 'low' }] }, ['input.verbs.0.verb out_of_range']],
    [
      { verbs: [{ verb: 'fly', risk: 'low' }, 'fly'] },
      ['input.verbs.1.verb unknown_value', 'input.verbs.1 invalid'],
    ],
    [{ verbs: ['read', { verb: 'read' }] }, ['input.verbs.1 invalid']],
    [
      { verbs: [{ verb: 'create', compensatingVerb: 'create' }] },
      ['input.verbs.0.compensatingVerb unknown_value'],
    ],
    [
      { verbs: [{ verb: 'create', compensatingVerb: 'delete' }] },
      ['input.verbs.0.compensatingVerb unknown_value'],
    ],
    [{ verbs: [{ verb: 'pay', amountField: 'amount' }] }, ['input.verbs.0.amountField wrong_type']],
    [{ timeoutMs: 0 }, ['input.timeoutMs out_of_range']],
    [{ timeoutMs: 60_001 }, ['input.timeoutMs out_of_range']],
    [{ approvalExpiresSeconds: 59 }, ['input.approvalExpiresSeconds out_of_range']],
    [{ amountRubMaxAuto: -1n }, ['input.amountRubMaxAuto out_of_range']],
    [{ connector: 'http_webhook' }, ['input.endpointUrl missing']],
    [{ connector: 'simulated', endpointUrl: 'https://a.example' }, ['input.endpointUrl invalid']],
  ])('with %o has the faults %j', (change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });

  it('asks whether a near name was meant', () => {
    const verbs = [{ verb: 'refnd', compensatingVerb: 'reed' }, 'read'];
    expect(draftFaults(draftOf({ verbs })).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^input\.verbs\.0\.verb must be one of .*; did you mean refund\?/),
      expect.stringMatching(/^input\.verbs\.0\.compensatingVerb must be one of read; did/),
    ]);
  });

  it('says of a verb what the verb says, then the contract, then the meaning of the verb', () => {
    const verbs = [
      'delete',
      'read',
      { verb: 'update', risk: 'critical', destructive: false, requiresApproval: false },
    ];
    const said = draftOf({ verbs, risk: 'low', destructive: true, requiresApproval: true });
    const short = (draft: ToolDraft) =>
      contractOf(draft, 1).verbs.map(
        (rule) => `${rule.verb} ${rule.risk} ${rule.destructive} ${rule.requiresApproval}`,
      );
    expect(short(said)).toEqual([
      'delete high true true',
      'read low true true',
      'update critical false false',
    ]);
    expect(short(draftOf({ verbs }))).toEqual([
      'delete high true false',
      'read low false false',
      'update critical false false',
    ]);
  });

  it('makes a destructive verb harmless only by a word about the verb itself', () => {
    const of = (verbs: readonly (string | object)[]) =>
      contractOf(draftOf({ verbs, destructive: false }), 1).verbs[0]?.destructive;
    expect(of(['delete'])).toBe(true);
    expect(of([{ verb: 'delete', destructive: false }])).toBe(false);
  });

  it('is stored without loss', () => {
    const contract = contractOf(
      draftOf({
        name: 'Desk',
        verbs: [{ verb: 'pay', amountField: '/a', argumentsSchema: { type: 'object' } }],
        endpointUrl: 'https://desk.example/hook',
        amountRubMaxAuto: 10n ** 18n - 1n,
      }),
      3,
    );
    expect(readContract(JSON.parse(JSON.stringify(storedContract(contract))))).toEqual(contract);
  });
});

describe('a contract that was stored under the names of before', () => {
  it('reads with its amount', () => {
    const contract = contractOf(draftOf({ amountRubMaxAuto: 1_500_001n }), 2);
    const { amount_rub_max_auto: amount, ...stored } = storedContract(contract);
    expect(amount).toBe('1.500001');
    expect(readContract({ ...stored, amount_micro_max_auto: '1500001' })).toEqual(contract);
  });
});

describe('a schema of arguments', () => {
  const faults = (schema: object) =>
    faultsOf({ verbs: [{ verb: 'read', argumentsSchema: schema }] });
  const at = 'input.verbs.0.argumentsSchema';

  it.each<[object, string[]]>([
    [{ type: 'object', properties: { a: { type: 'string', format: 'uuid' } } }, []],
    [{ properties: { a: { pattern: '(a+)+$' } } }, [`${at}.properties.a.pattern unknown_value`]],
    [{ patternProperties: {} }, [`${at}.patternProperties unknown_value`]],
    [{ $ref: '#' }, [`${at}.$ref unknown_value`]],
    [{ anyOf: [{ $dynamicRef: '#x' }] }, [`${at}.anyOf.0.$dynamicRef unknown_value`]],
    [{ requird: ['a'] }, [`${at}.requird unknown_value`]],
    [{ properties: { a: 7 } }, [`${at}.properties.a wrong_type`]],
    [{ format: 'regex' }, [`${at}.format unknown_value`]],
    [{ required: 'a' }, [`${at}.required invalid`]],
    [{ title: 'x'.repeat(9_000) }, [`${at} invalid`]],
    [{ allOf: Array.from({ length: 201 }, () => true) }, [`${at} out_of_range`]],
  ])('%j has the faults %j', (schema, expected) => {
    expect(faults(schema)).toEqual(expected);
  });

  it('names every fault of the arguments at once', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['ticket_id', 'amount'],
      properties: {
        ticket_id: { type: 'string', minLength: 3 },
        amount: { type: 'number', maximum: 100 },
        day: { type: 'string', format: 'date' },
        kind: { enum: ['a', 'b'] },
      },
    };
    const values = { ticket_id: 'T', ammount: 1, day: '2026-02-30', kind: 'c' };
    expect(argumentFaults(schema, values)).toEqual(
      expect.arrayContaining([
        {
          path: 'arguments.amount',
          code: 'missing',
          message: 'arguments.amount is missing.',
        },
        {
          path: 'arguments.ammount',
          code: 'unknown_value',
          message: 'arguments.ammount is not a field of the schema. Did you mean amount?',
        },
        {
          path: 'arguments.ticket_id',
          code: 'out_of_range',
          message: 'arguments.ticket_id must NOT have fewer than 3 characters.',
        },
        {
          path: 'arguments.day',
          code: 'invalid',
          message: 'arguments.day must match format "date".',
        },
        {
          path: 'arguments.kind',
          code: 'unknown_value',
          message: 'arguments.kind must be one of a, b.',
        },
      ]),
    );
    expect(argumentFaults(schema, values)).toHaveLength(5);
    expect(argumentFaults(schema, { ticket_id: 'T-1', amount: 5 })).toEqual([]);
  });
});
