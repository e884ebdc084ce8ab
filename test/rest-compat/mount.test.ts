import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toyThings } from './toy/schema.js';
import { startToy, type Toy } from './toy/server.js';

let toy: Toy;
beforeAll(async () => {
  toy = await startToy();
});
afterAll(() => toy.close());

const AUTH = { authorization: 'Bearer x' };

function post(path: string, body: unknown, headers: Record<string, string> = AUTH) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(toy.url + path, { method: 'POST', body: text, headers });
}

describe('lists', () => {
  it('answers the envelope with rubles as numbers and large counters exact', async () => {
    const answer = await fetch(`${toy.url}/v1/gw/things?limit=2`, { headers: AUTH });
    const item = { kind: 'small', counter: 0, cost: { total_rub: 0.25 } };
    expect(await answer.json()).toEqual({
      object: 'list',
      data: [
        { ...item, id: 'thing/0', name: '=1+1', price_rub: 0 },
        { ...item, id: 'thing/1', name: 'name 1', kind: 'large', price_rub: null, counter: 1 },
      ],
      has_more: true,
      next_cursor: '2',
      total_count: 3,
    });
    const next = await fetch(`${toy.url}/v1/gw/things?limit=2&cursor=2`, { headers: AUTH });
    expect(await next.json()).toMatchObject({
      data: [{ id: 'thing/2', price_rub: -3.000002, counter: '9007199254740993' }],
      has_more: false,
      next_cursor: null,
    });
  });

  it('reads lists in a query by comma and by repetition', async () => {
    for (const query of ['kind=small,large', 'kind=small&kind=large']) {
      const answer = await fetch(`${toy.url}/v1/gw/things?${query}`, { headers: AUTH });
      expect(await answer.json()).toMatchObject({ total_count: 3 });
    }
  });

  it('wraps a plain list in the envelope and keeps several roots as an object', async () => {
    expect(await (await fetch(`${toy.url}/names`)).json()).toEqual({
      object: 'list',
      data: ['one', 'two'],
      has_more: false,
      next_cursor: null,
    });
    expect(await (await fetch(`${toy.url}/v1/gw/both`)).json()).toEqual({
      the_names: ['one', 'two'],
      the_metrics: 'up 1',
    });
  });

  it('writes CSV page by page with formulas disarmed and negative amounts untouched', async () => {
    const answer = await fetch(`${toy.url}/v1/gw/things?format=csv&bom=true`, { headers: AUTH });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="things.csv"');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.toString('utf8')).toBe(
      '\ufeffid,name,kind,price_rub,counter,cost.total_rub\r\n' +
        "thing/0,'=1+1,small,0,0,0.25\r\n" +
        'thing/1,name 1,large,,1,0.25\r\n' +
        'thing/2,name 2,small,-3.000002,9007199254740993,0.25\r\n',
    );
  });
});

describe('a long list', () => {
  const many = () => startToy({}, toyThings(450));

  it('is exported whole, and by pages only where the caller asks for a limit', async () => {
    const large = await many();
    const lines = async (query: string) => {
      const answer = await fetch(`${large.url}/v1/gw/things?${query}`, { headers: AUTH });
      return (await answer.text()).trimEnd().split('\r\n').length;
    };
    expect(await lines('format=csv')).toBe(451);
    expect(await lines('format=csv&limit=7')).toBe(8);
    await large.close();
  });

  it('that is too long for a table breaks off, and is never taken for a whole one', async () => {
    const long = await startToy({ tableRowsMax: { file: 1, text: 400 } }, toyThings(450));
    const answer = await fetch(`${long.url}/v1/gw/things?format=csv`, { headers: AUTH });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    await long.close();
  });
});

describe('one object', () => {
  it('takes slashes and escapes in the last parameter', async () => {
    for (const id of ['thing/1', 'thing%2F1']) {
      const answer = await fetch(`${toy.url}/v1/gw/things/${id}`);
      expect(await answer.json()).toMatchObject({ id: 'thing/1' });
    }
  });

  it('is not_found with the id when the root is null', async () => {
    const answer = await fetch(`${toy.url}/v1/gw/things/none`);
    expect(answer.status).toBe(404);
    const id = answer.headers.get('x-request-id');
    expect(await answer.json()).toEqual({
      error: {
        message: 'No thing with id none.',
        type: 'not_found_error',
        param: 'id',
        code: 'not_found',
        request_id: id,
        doc_url: 'https://docs.test/errors#not_found',
      },
    });
  });

  it('maps nested wire names to input fields and coerces money to micro-rubles', async () => {
    toy.calls.created.length = 0;
    const steps = [
      { step_name: 'a', max_cost_rub: 0.1, inner: { stepName: 'b', p95_latency_ms: 7 } },
    ];
    const answer = await post('/v1/gw/things', {
      name: 'n',
      key_type: 'large',
      price_rub: '1.5',
      steps,
    });
    expect(answer.status).toBe(200);
    expect(toy.calls.created).toEqual([
      {
        input: {
          name: 'n',
          kind: 'large',
          priceRub: 1_500_000n,
          steps: [
            {
              stepName: 'a',
              maxCostRub: 100_000n,
              p95LatencyMs: 100,
              inner: { stepName: 'b', p95LatencyMs: 7 },
            },
          ],
        },
      },
    ]);
  });

  it('names ignored fields in a header, nested and unprintable ones too', async () => {
    const answer = await post('/v1/gw/things/open', {
      name: 'n',
      naem: 1,
      'я\n': 1,
      steps: [{ step_name: 'a', x: 1 }],
    });
    expect(answer.headers.get('x-gw-ignored-fields')).toBe('naem, %D1%8F%0A, steps.0.x');
  });

  it('takes a query parameter where the body lacks the field', async () => {
    toy.calls.created.length = 0;
    await post('/v1/gw/things?dry_run=true', { name: 'n' });
    expect(toy.calls.created).toEqual([{ input: { name: 'n', kind: 'small' }, dryRun: true }]);
  });
});

describe('a row of an input object', () => {
  const put = (path: string, body: object) =>
    fetch(toy.url + path, {
      method: 'PUT',
      headers: { ...AUTH, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('takes body, path and query by their names, and answers every field', async () => {
    toy.calls.created.length = 0;
    const body = { title: 'n', price_rub: 1, steps: [{ step: 'a', inner: { step_name: 'b' } }] };
    const answer = await put('/v1/gw/things/a/b?dry_run=true&kind=large', body);
    expect(await answer.json()).toEqual({
      id: 'thing/2',
      name: 'n',
      kind: 'small',
      cost: { total_rub: 0.25 },
      amount_rub: -3.000002,
    });
    const inner = { stepName: 'b', p95LatencyMs: 100 };
    expect(toy.calls.created).toEqual([
      {
        id: 'a/b',
        input: {
          name: 'n',
          kind: 'large',
          priceRub: 1_000_000n,
          steps: [{ stepName: 'a', p95LatencyMs: 100, inner }],
        },
        dryRun: true,
      },
    ]);
  });

  it('names the faults of the resolver as the row calls the fields', async () => {
    const answer = await put('/v1/gw/things/1', { title: 'taken', steps: [{ step: 'a' }] });
    expect(await answer.json()).toMatchObject({
      error: { message: '`steps.0.step` is taken.', param: 'steps.0.step' },
    });
  });
});

describe('faults', () => {
  it('names every fault of the body at once, under the paths as written', async () => {
    const steps = [{ stepName: 5 }, { max_cost_rub: 0.1234567 }, 'x'];
    const answer = await post('/v1/gw/things', {
      nmae: 'n',
      keyType: 'smal',
      price_rub: true,
      steps,
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { faults: unknown; param: string } };
    expect(error.param).toBe('name');
    const amount = 'an amount of rubles, a number or a decimal string with at most six decimals';
    expect(error.faults).toEqual([
      { path: 'name', code: 'missing', message: '`name` is required. Did you mean it by `nmae`?' },
      {
        path: 'keyType',
        code: 'unknown_value',
        message: '`keyType` must be one of small, large. Did you mean small?',
      },
      { path: 'price_rub', code: 'wrong_type', message: `\`price_rub\` must be ${amount}.` },
      {
        path: 'steps.0.stepName',
        code: 'wrong_type',
        message: '`steps.0.stepName` must be a string.',
      },
      {
        path: 'steps.1.max_cost_rub',
        code: 'invalid',
        message: `\`steps.1.max_cost_rub\` must be ${amount}.`,
      },
      { path: 'steps.1.step_name', code: 'missing', message: '`steps.1.step_name` is required.' },
      { path: 'steps.2', code: 'wrong_type', message: '`steps.2` must be an object.' },
      {
        path: 'nmae',
        code: 'invalid',
        message: '`nmae` is not a field of this operation. Did you mean `name`?',
      },
    ]);
  });

  it('names faults of a query', async () => {
    const answer = await fetch(`${toy.url}/v1/gw/things?limit=201&kind=tiny`, { headers: AUTH });
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'invalid_request',
        faults: [
          { path: 'kind.0', code: 'unknown_value' },
          { path: 'limit', code: 'out_of_range', message: '`limit` must be between 1 and 200.' },
        ],
      },
    });
  });

  it('renames the argument paths of a resolver to wire paths', async () => {
    const answer = await post('/v1/gw/things', { name: 'taken' });
    expect(await answer.json()).toMatchObject({
      error: {
        message: '`price_rub` is too much.',
        param: 'price_rub',
        faults: [{ path: 'price_rub', code: 'out_of_range', message: '`price_rub` is too much.' }],
      },
    });
  });

  it('keeps the spelling of what lies inside a body that is passed on as it is', async () => {
    const answer = await post('/v1/echo', { fail: 'inside' });
    expect(await answer.json()).toMatchObject({
      error: { param: 'format.userName', message: '`format.userName` is wrong.' },
    });
  });

  it('refuses unknown fields where the row says so, and answers its status', async () => {
    const refused = await post('/v1/gw/things/strict', { name: 'x', nam: 1 });
    expect(await refused.json()).toMatchObject({
      error: {
        faults: [{ path: 'nam', message: expect.stringContaining('Did you mean `name`?') }],
      },
    });
    expect((await post('/v1/gw/things/strict', { name: 'x' })).status).toBe(201);
  });

  it('refuses what is not JSON, too deep, too large, or reaches a prototype', async () => {
    const deep = `${'['.repeat(64)}${']'.repeat(64)}`;
    const bodies = ['{', `{"a":${deep}}`, '{"__proto__":1}', '{"a":{"\\u0063onstructor":1}}'];
    for (const body of bodies) {
      const answer = await post('/v1/echo', body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: 'invalid_json' } });
    }
    expect((await post('/v1/echo', `{"a":${deep.slice(1, -1)}}`)).status).toBe(200);
    expect((await post('/v1/echo', { text: 'constructor' })).status).toBe(200);
    const large = await post('/v1/echo', { text: 'x'.repeat(5000) });
    expect(large.status).toBe(413);
    const list = await post('/v1/echo', []);
    expect(await list.json()).toMatchObject({
      error: { message: 'The body must be a JSON object.' },
    });
  });
});
