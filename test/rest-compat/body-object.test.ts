import { buildSchema, isInputObjectType, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { AliasTable } from '../../rest-compat/alias-table.js';
import { compileBind } from '../../rest-compat/bind.js';
import { faultsOfAliases, InputNames, type Renames } from '../../rest-compat/input-names.js';
import { variableUses } from '../../rest-compat/variable-uses.js';
import { asWritten, compileWirePaths } from '../../rest-compat/wire-paths.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';

const schema = buildSchema(`
  enum Mode { off mask block }
  input Budgets { dailyMax: Int monthlyMax: Int }
  input Modes { card: Mode phone: Mode }
  input Step { stepName: String! maxCostRub: Int next: Step data: JSON }
  input Policy {
    id: ID
    keyType: Mode = off
    allowedModels: [String!]
    budgets: Budgets
    modes: Modes
    steps: [Step!]
    hybrid: Mode
    rules: [Rule!]
  }
  input Rule { ruleName: String! mode: Mode = off weight: Int }
  scalar JSON
  type Query { set(id: ID!, input: Policy!): Boolean }
`);

const ALIASES: AliasTable = {
  Policy: {
    names: { models: 'allowed_models', daily_max: 'budgets.daily_max' },
    values: { hybrid: [[true, 'mask']] },
  },
  Budgets: { names: { daily: 'daily_max' } },
  Modes: { oneForAll: true },
  Rule: { bare: 'rule_name', byKey: { key: 'rule_name', bare: 'mode' } },
};

const policy = schema.getType('Policy');
const query = schema.getQueryType();
if (!isInputObjectType(policy) || !query) throw new Error('no such type');
const input = { name: 'input', type: policy, defaultValue: undefined };

function binder(control: boolean, renames?: Renames) {
  const bind = compileBind({
    variables: [input],
    pathParameters: [],
    takesBody: true,
    bodyVariable: 'input',
    control,
    names: new InputNames(ALIASES).renamed(renames),
    foreignQuery: false,
    reservedQuery: [],
    chosenQuery: new Map(),
    choices: ['dry_run'],
    chosenBy: 'dry_run',
  });
  return (body: unknown, query: Record<string, string> = {}) => {
    try {
      const { variables, ignored } = bind({ path: {}, query, body });
      return { input: variables.input, ignored };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return error.details.faults?.map(({ path, message }) => `${path}: ${message}`);
    }
  };
}

const lenient = binder(false);
const strict = binder(true);

describe('a body that is an input object', () => {
  it('binds each field by its wire name, with the defaults of the type', () => {
    const body = { allowed_models: ['a'], budgets: { dailyMax: 1 }, steps: [{ step_name: 'x' }] };
    expect(lenient(body)).toEqual({
      input: {
        keyType: 'off',
        allowedModels: ['a'],
        budgets: { dailyMax: 1 },
        steps: [{ stepName: 'x' }],
      },
      ignored: [],
    });
    expect(lenient(undefined)).toEqual({ input: { keyType: 'off' }, ignored: [] });
  });

  it('takes a query parameter where the body lacks the field, and the body where both are', () => {
    const query = { key_type: 'mask', allowed_models: 'a,b', id: 'q' };
    expect(lenient({ id: 'b' }, query)).toEqual({
      input: { id: 'b', keyType: 'mask', allowedModels: ['a', 'b'] },
      ignored: [],
    });
  });

  it('names at every depth what it ignores, and refuses what is a near miss', () => {
    expect(
      lenient({ zebra: 1, steps: [{ step_name: 'x', next: { step_name: 'y', q: 1 } }] }),
    ).toMatchObject({ ignored: ['zebra', 'steps.0.next.q'] });
    expect(lenient({ budgets: { daily_mx: 1 }, keytype: 'off' })).toEqual([
      'keytype: `keytype` is not a field of this operation. Did you mean `key_type`?',
      'budgets.daily_mx: `budgets.daily_mx` is not a field of this operation. ' +
        'Did you mean `daily_max`?',
    ]);
    expect(lenient({ steps: [{ step_nam: 'x' }] })).toEqual([
      'steps.0.step_name: `steps.0.step_name` is required. Did you mean it by `steps.0.step_nam`?',
    ]);
  });

  it('reads the names that a row gives to fields, and the published ones no more', () => {
    const renamed = binder(false, { keyType: 'keyType', budgets: { dailyMax: 'per_day' } });
    expect(renamed({ keyType: 'mask', budgets: { per_day: 3 } })).toEqual({
      input: { keyType: 'mask', budgets: { dailyMax: 3 } },
      ignored: [],
    });
    expect(renamed({ budgets: { monthly_max: 1, day: 3 } })).toMatchObject({
      ignored: ['budgets.day'],
    });
  });
});

describe('what sets a control', () => {
  it('refuses every unknown field at every depth, and says what may have been meant', () => {
    expect(strict({ dry_run: true, zebra: 1, budgets: { zebra: 1, monthly: 2 } })).toEqual([
      'zebra: `zebra` is not a field of this operation.',
      'budgets.zebra: `budgets.zebra` is not a field of this operation.',
      'budgets.monthly: `budgets.monthly` is not a field of this operation.',
    ]);
    expect(strict({}, { alowed_models: 'a' })).toEqual([
      'alowed_models: `alowed_models` is not a field of this operation. ' +
        'Did you mean `allowed_models`?',
    ]);
  });
});

describe('aliases', () => {
  it('are read as what they mean, in both spellings and from outside their object', () => {
    expect(strict({ models: ['a'], budgets: { daily: 1 } })).toMatchObject({
      input: { allowedModels: ['a'], budgets: { dailyMax: 1 } },
    });
    expect(strict({ dailyMax: 1 })).toMatchObject({ input: { budgets: { dailyMax: 1 } } });
    expect(strict({ daily_max: 1, budgets: { monthly_max: 2 } })).toMatchObject({
      input: { budgets: { dailyMax: 1, monthlyMax: 2 } },
    });
    expect(strict({ hybrid: true, modes: 'block' })).toMatchObject({
      input: { hybrid: 'mask', modes: { card: 'block', phone: 'block' } },
    });
  });

  it('keep their own names in faults', () => {
    expect(strict({ models: 5, daily_max: 'x', modes: 'blok' })).toEqual([
      'models: `models` must be a string.',
      'modes: `modes` must be one of off, mask, block. Did you mean block?',
      'daily_max: `daily_max` must be an integer between -2147483648 and 2147483647.',
    ]);
  });

  it('beside what they mean are a fault', () => {
    const twice = (a: string, b: string) =>
      `${a}: \`${a}\` and \`${b}\` are one field; give it once.`;
    expect(strict({ allowed_models: [], models: [] })).toEqual([twice('models', 'allowed_models')]);
    expect(strict({ budgets: { daily: 1, daily_max: 1 }, daily_max: 1 })).toEqual([
      twice('budgets.daily_max', 'budgets.daily'),
      twice('daily_max', 'budgets.daily'),
    ]);
    expect(strict({ budgets: null, daily_max: 1 })).toEqual([
      'budgets: `budgets` must be an object.',
    ]);
    expect(strict({ keyType: 'off', key_type: 'off' })).toEqual([twice('key_type', 'keyType')]);
  });

  it('that fit no field of the schema stop the start', () => {
    const stale: AliasTable = {
      Nothing: {},
      Policy: { names: { hybrid: 'budgets', a: 'zebra', b: 'budgets.zebra' }, values: { x: [] } },
      Step: { oneForAll: true },
    };
    expect(faultsOfAliases(stale, schema)).toEqual([
      'the aliases name Nothing, which is no input object',
      'the alias hybrid of Policy cannot mean budgets',
      'the alias a of Policy cannot mean zebra',
      'the alias b of Policy cannot mean budgets.zebra',
      'the aliases of Policy have values of x, which it lacks',
      'the fields of Step are of several types',
    ]);
    expect(faultsOfAliases(ALIASES, schema)).toEqual([]);
  });
});

describe('the faults of resolvers', () => {
  const [operation] = parse('query A { set(id: $id, input: $input) }').definitions;
  const roots = (operation as OperationDefinitionNode).selectionSet.selections;
  const names = new InputNames(ALIASES).renamed({ allowedModels: 'model_list' });
  const { path } = compileWirePaths(variableUses(query, roots as never), [input], 'input', names);

  it.each([
    ['input.keyType', 'key_type'],
    ['input.allowedModels.2', 'model_list.2'],
    ['input.steps.2.next.stepName', 'steps.2.next.step_name'],
    ['input.steps.2.maxCostMicro', 'steps.2.max_cost_rub'],
    ['input.steps.0.data.userName', 'steps.0.data.userName'],
    ['steps.0.step_name', 'steps.0.step_name'],
    ['budgets.dailyMax', 'budgets.daily_max'],
    ['id', 'id'],
    ['someThing', 'some_thing'],
  ])('are renamed from %s to %s', (argument, wire) => {
    expect(path(argument)).toBe(wire);
  });
});

describe('a list of objects', () => {
  const rules = [
    { ruleName: 'a', mode: 'mask' },
    { ruleName: 'b', mode: 'off', weight: 2 },
    { ruleName: 'c', mode: 'off' },
  ];

  it('takes a bare text for the field that it means', () => {
    const body = { rules: [{ rule_name: 'a', mode: 'mask' }, { ruleName: 'b', weight: 2 }, 'c'] };
    expect(strict(body)).toEqual({ input: { keyType: 'off', rules }, ignored: [] });
    expect(strict({ rules: 'c' })).toMatchObject({ input: { rules: [rules[2]] } });
  });

  it('may be written as an object by one of its fields', () => {
    const body = { rules: { a: 'mask', b: { weight: 2 }, c: null } };
    expect(strict(body)).toMatchObject({ input: { keyType: 'off', rules }, ignored: [] });
    expect(strict({ rules: {} })).toMatchObject({ input: { rules: [] } });
  });

  it('names its faults as they are written', () => {
    expect(strict({ rules: { a: 'msk', b: 5, c: { wait: 1 }, d: [] } })).toEqual([
      'rules.a.mode: `rules.a.mode` must be one of off, mask, block. Did you mean mask?',
      'rules.b: `rules.b` must be an object or a text.',
      'rules.d: `rules.d` must be an object or a text.',
      'rules.c.wait: `rules.c.wait` is not a field of this operation.',
    ]);
    expect(strict({ rules: [5, {}] })).toEqual([
      'rules.0: `rules.0` must be a text or an object.',
      'rules.1.rule_name: `rules.1.rule_name` is required.',
    ]);
  });

  it('has the faults of resolvers at the places where its items were written', () => {
    const names = new InputNames(ALIASES);
    const uses = [{ path: 'input', variable: 'input', description: undefined }];
    const paths = compileWirePaths(uses, [input], 'input', names);
    const written = new Map([['rules.1', 'rules.b']]);
    const path = 'input.rules.1.weight';
    const fault = { path, code: 'invalid', message: `${path} is wrong.` } as const;
    expect(asWritten(paths, written).fault(fault)).toEqual({
      path: 'rules.b.weight',
      code: 'invalid',
      message: 'rules.b.weight is wrong.',
    });
    expect(asWritten(paths, undefined).path(path)).toBe('rules.1.weight');
  });

  it('refuses an alias table whose bare text means no field', () => {
    const wrong = faultsOfAliases({ Rule: { bare: 'nme' } }, schema);
    expect(wrong).toEqual(['the aliases of Rule name nme, which it lacks']);
  });
});
