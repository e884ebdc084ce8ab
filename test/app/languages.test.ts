import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STACKS } from '../../src/growth/devex/vocabulary.js';
import { itemSaid } from '../../src/growth/readiness/item-phrases.js';
import { READINESS_ITEMS } from '../../src/growth/readiness/vocabulary.js';
import { ERRORS } from '../../src/kernel/errors/catalogue.js';
import type { ErrorRow } from '../../src/kernel/errors/row.js';
import { describedIn } from '../../src/kernel/errors/told.js';
import { chat, type ErrorBody } from '../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';
import { englishWords } from '../support/english-words.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const RUSSIAN = { 'accept-language': 'ru-RU, en;q=0.5' };

describe('a failure of REST', () => {
  it('is in Russian for who asks for it, with the code and the headers of caches', async () => {
    const { status, headers, body } = await rest<ErrorBody>(app, 'GET', '/me', {
      headers: RUSSIAN,
    });
    const { request_id, doc_url, ...shown } = body.error;
    expect({ status, shown }).toEqual({
      status: 401,
      shown: {
        message:
          'Запрос пришёл без ключа и без токена. Добавьте заголовок `Authorization: Bearer ' +
          '<ключ или токен>`.',
        type: 'authentication_error',
        param: null,
        code: 'missing_credential',
      },
    });
    expect([headers.get('content-language'), headers.get('vary')]).toEqual([
      'ru',
      'accept-language',
    ]);
  });

  it('is in English for everybody else', async () => {
    for (const language of ['en, ru;q=0.9', 'de', '*', 'ru;q=0']) {
      const answer = await rest<ErrorBody>(app, 'GET', '/me', {
        headers: { 'accept-language': language },
      });
      expect(answer.headers.get('content-language')).toBe('en');
      expect(answer.body.error.message).toBe(ERRORS.missing_credential.message);
    }
  });

  it('names every fault in Russian, by the names that the caller wrote', async () => {
    const { body } = await rest<ErrorBody>(app, 'POST', '/auth/register', {
      headers: RUSSIAN,
      body: { email: 'иван', password: 'short', organization: 'ООО Ромашка' },
    });
    const email = 'Поле email: укажите адрес электронной почты.';
    const password = 'Поле password: длина должна быть от 10 до 256 символов.';
    expect(body.error).toMatchObject({
      message: `В запросе 2 ошибки. ${email} ${password}`,
      param: 'email',
      code: 'invalid_request',
      faults: [
        { path: 'email', code: 'invalid', message: email },
        { path: 'password', code: 'out_of_range', message: password },
      ],
    });
  });

  it('names what the transport refuses in Russian too', async () => {
    const { body } = await rest<{ error: { faults: { message: string }[] } }>(
      app,
      'POST',
      '/auth/login',
      { headers: RUSSIAN, body: { email: 5 } },
    );
    expect(body.error.faults.map(({ message }) => message)).toEqual([
      'Поле `email` должно быть строкой.',
      'Поле `password` обязательно.',
    ]);
  });

  it('speaks Russian on the chat wire, before and after a model is looked for', async () => {
    const unknown = await chat(app, customer.key, 'Здравствуйте', { model: 'no-such' }, RUSSIAN);
    expect(unknown.body.error).toMatchObject({
      code: 'model_not_found',
      message: expect.stringMatching(/^Модели no-such не существует\. Список моделей — в GET /),
    });
    const faulty = await chat(app, customer.key, 'Здравствуйте', { messages: 1 }, RUSSIAN);
    expect(faulty.body.error).toMatchObject({
      code: 'invalid_request',
      message: 'Поле messages: ожидается список хотя бы из одного сообщения.',
    });
  });
});

describe('a failure of GraphQL', () => {
  const ask = async (query: string, credential?: string, variables = {}) => {
    const { body } = await rest<{ errors: { message: string; extensions: object }[] }>(
      app,
      'POST',
      '/graphql',
      { credential, headers: RUSSIAN, body: { query, variables } },
    );
    return body.errors.map(({ message, extensions }) => ({ message, ...extensions }));
  };

  it('is in Russian, and an object of another tenant is what an unknown one is', async () => {
    const text = 'mutation($id: ID!) { apiKeyRevoke(id: $id) { id } }';
    const unknown = await ask(text, customer.key, { id: customer.tenantId });
    const foreign = await ask(text, customer.key, { id: other.keyId });
    const shown = (id: string) => [
      expect.objectContaining({ code: 'not_found', message: expect.stringContaining(id) }),
    ];
    expect([unknown, foreign]).toEqual([shown(customer.tenantId), shown(other.keyId)]);
    expect(foreign[0]?.message).toMatch(/^Объект не найден: [^,]+, идентификатор /);
  });

  it('names faults in Russian in the message and in the list of them', async () => {
    const [error] = await ask(`mutation {
      authRegister(email: "иван", password: "long enough indeed", organization: "ООО") {
        tenant { id }
      }
    }`);
    const message = 'Поле email: укажите адрес электронной почты.';
    expect(error).toMatchObject({
      message,
      code: 'invalid_request',
      faults: [{ path: 'email', code: 'invalid', message }],
    });
  });

  it('keeps the words of graphql-js, which are English', async () => {
    const [error] = await ask('{ nothing }');
    expect(error).toMatchObject({
      code: 'graphql_invalid',
      message: expect.stringContaining('Cannot query field'),
    });
  });
});

describe('the published catalogue', () => {
  it.each(['ru', 'en'] as const)('is in %s where that is preferred', async (language) => {
    const { body, headers } = await rest<{ data: Record<string, unknown>[] }>(
      app,
      'GET',
      '/v1/gw/errors',
      { headers: { 'accept-language': language } },
    );
    const rows = Object.entries<ErrorRow>(ERRORS).map(([code, row]) => ({
      code,
      ...describedIn(row, language),
    }));
    expect(
      body.data.map(({ code, message, cause, fix }) => ({ code, message, cause, fix })),
    ).toEqual(rows);
    expect(headers.get('content-language')).toBe(language);
    expect(headers.get('vary')).toBe('accept-language');
  });
});

describe('what people read of an answer', () => {
  interface Quickstart {
    readonly description: string;
    readonly snippet: string;
    readonly steps: readonly { title: string; note: string | null; command: string | null }[];
    readonly agent_docs: readonly { name: string; about: string; url: string }[];
  }
  const quickstart = (language: string, stack: string) =>
    rest<Quickstart>(app, 'GET', `/v1/gw/devex/quickstart?stack=${stack}`, {
      headers: { 'accept-language': language },
    });

  it.each(STACKS.codes)(
    'of the quickstart of %s is in both languages, its code is one',
    async (of) => {
      const english = await quickstart('en', of);
      const russian = await quickstart('ru', of);
      expect([english, russian].map(({ headers }) => headers.get('content-language'))).toEqual([
        'en',
        'ru',
      ]);
      const codeOf = ({ snippet, steps, agent_docs }: Quickstart) => [
        snippet,
        steps.map(({ command }) => command),
        agent_docs.map(({ url }) => url),
      ];
      expect(codeOf(russian.body)).toEqual(codeOf(english.body));
      const proseOf = ({ description, steps, agent_docs }: Quickstart) =>
        [
          description,
          ...steps.flatMap(({ title, note }) => [title, note ?? '']),
          ...agent_docs.flatMap(({ name, about }) => [name, about]),
        ].join('\n');
      expect(proseOf(english.body)).not.toMatch(/[а-яё]/i);
      expect(englishWords(proseOf(russian.body))).toEqual([]);
    },
  );

  it('of readiness and of checks is in the language of the reader, whatever was kept', async () => {
    const run = `mutation { migrationCheckRun { id checks { code message } } }`;
    const { body } = await rest<{ data: { migrationCheckRun: { id: string; checks: object[] } } }>(
      app,
      'POST',
      '/graphql',
      { credential: customer.key, headers: RUSSIAN, body: { query: run } },
    );
    const said = (body.data.migrationCheckRun.checks as { message: string }[]).map(
      ({ message }) => message,
    );
    for (const message of said) expect(englishWords(message, ['service'])).toEqual([]);
    const query = `{
      migrationCheckRuns(first: 1) { nodes { checks { message } } }
      organizationReadiness { items { title } }
    }`;
    const again = async (headers: Record<string, string>) => {
      const answer = await rest<{
        data: {
          migrationCheckRuns: { nodes: { checks: { message: string }[] }[] };
          organizationReadiness: { items: { title: string }[] };
        };
      }>(app, 'POST', '/graphql', { credential: customer.token, headers, body: { query } });
      const { migrationCheckRuns, organizationReadiness } = answer.body.data;
      const [node] = migrationCheckRuns.nodes;
      return {
        messages: node?.checks.map(({ message }) => message),
        titles: organizationReadiness.items.map(({ title }) => title),
      };
    };
    const english = await again({ 'accept-language': 'en' });
    expect(english.titles).toEqual(READINESS_ITEMS.map(({ title }) => title));
    expect(english.messages?.join('\n')).not.toMatch(/[а-яё]/i);
    const russian = await again(RUSSIAN);
    expect(russian.messages).toEqual(said);
    expect(russian.titles).toEqual(READINESS_ITEMS.map(({ title }) => itemSaid(title, 'ru')));
    expect(englishWords(russian.titles.join('\n'))).toEqual([]);
  });
});

describe('an account with a Cyrillic address', () => {
  const password = 'correct horse battery';
  const post = (path: string, body: object) =>
    rest<ErrorBody & Record<string, unknown>>(app, 'POST', path, { body });

  it('is one, however its domain is written: at registration, invitation and login', async () => {
    const written = `иван-${process.pid}@почта.рф`;
    const encoded = `ИВАН-${process.pid}@xn--80a1acny.xn--p1ai`;
    const organization = 'ООО Ромашка';
    const made = await post('/auth/register', { email: encoded, password, organization });
    expect([made.status, made.body.user]).toEqual([
      200,
      { id: expect.any(String), email: written, role: 'owner' },
    ]);
    const twice = await post('/auth/register', { email: written, password, organization });
    expect([twice.status, twice.body.error.code]).toEqual([409, 'email_taken']);
    for (const email of [written, encoded]) {
      const login = await post('/auth/login', { email, password });
      expect([login.status, login.body.user]).toEqual([200, made.body.user]);
    }
    const token = String(made.body.accessToken);
    const invited = `анна-${process.pid}@xn--80a1acny.xn--p1ai`;
    const { data } = await graphql<{ inviteCreate: { token: string } }>(
      app,
      'mutation($email: String!) { inviteCreate(email: $email, role: viewer) { token } }',
      { email: invited },
      token,
    );
    const joined = await post('/auth/accept-invite', {
      token: data.inviteCreate.token,
      email: `Анна-${process.pid}@почта.рф`,
      password,
    });
    expect([joined.status, joined.body.user]).toEqual([
      200,
      expect.objectContaining({ email: `анна-${process.pid}@почта.рф`, role: 'viewer' }),
    ]);
  });

  it('is refused where its letters are mixed to look like another', async () => {
    const email = 'ив\u0061н@почта.рф';
    const made = await post('/auth/register', { email, password, organization: 'ООО' });
    expect([made.status, made.body.error.code]).toEqual([400, 'invalid_request']);
  });
});
