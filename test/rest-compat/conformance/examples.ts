import { exampleRequest } from '../../../rest-compat/example.js';
import { SOURCES, type Source, WHOLE } from '../../../rest-compat/example-sources.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { graphql, rest, type TestApp } from '../../support/app.js';

/** The answer to an example, with what was asked. */
export interface RanExample {
  readonly row: CompiledRow;
  readonly asked: string;
  readonly status: number;
  readonly contentType: string;
  readonly requestId: string | null;
  /** What a browser that shows the answer may load and run; null where nothing says so. */
  readonly policy: string | null;
  readonly body: unknown;
}

interface Login {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A request of a row, before what only a server gives out is put into it. */
export type Example = Pick<ReturnType<typeof exampleRequest>, 'path' | 'query' | 'body'>;

function exampleOf(row: CompiledRow): Example {
  const { path, query, body } = exampleRequest(row);
  const { condition } = row;
  if (condition?.kind !== 'query') return { path, query, body };
  return { path, query: { ...query, [condition.parameter]: condition.values[0] ?? '' }, body };
}

/**
 * Runs the examples of rows on one server, as a newcomer would: registers, takes the funds that
 * the example adds, then everything else. What a server gives out takes the place of made-up ids
 * and tokens: the id in a path is that of the object that the example of its collection made.
 */
export class ExampleRun {
  private readonly made = new Map<string, string>();
  private readonly answers = new Map<string, Readonly<Record<string, unknown>>>();
  private readonly rows: ReadonlyMap<string, CompiledRow>;
  private login: Login | undefined;

  constructor(
    private readonly app: TestApp,
    rows: readonly CompiledRow[],
  ) {
    this.rows = new Map(rows.map((row) => [row.name, row]));
  }

  /** Runs the example of a row with a member's token where the row needs one. */
  async run(row: CompiledRow, example: Example = exampleOf(row)): Promise<RanExample> {
    const { method, path: template, auth } = row.contract;
    const query = new URLSearchParams(example.query);
    const given = await this.given(row);
    const filled = this.filledPath(template, example.path, given);
    const path = filled + (query.size > 0 ? `?${query}` : '');
    const { id: _, ...fields } = given;
    const body = example.body && {
      ...example.body,
      ...fields,
      ...(await this.realTokens(row)),
    };
    const credential = auth === 'B' ? this.login?.accessToken : undefined;
    const answer = await rest(this.app, method, path, { credential, body });
    if (method === 'POST') this.keep(template, answer.body);
    this.answers.set(row.name, (answer.body ?? {}) as Record<string, unknown>);
    return {
      row,
      asked: `${row.name}: ${method} ${path}`,
      status: answer.status,
      contentType: (answer.headers.get('content-type') ?? '').split(';', 1)[0] ?? '',
      requestId: answer.headers.get('x-request-id'),
      policy: answer.headers.get('content-security-policy'),
      body: answer.body,
    };
  }

  /** The row that gives something to this one and has not been answered yet. */
  lackedBy({ name }: CompiledRow): string | undefined {
    const source = SOURCES[name]?.row;
    return source === undefined || this.answers.has(source) ? undefined : source;
  }

  /** What another row's answer gives to this one. */
  private async given({ name }: CompiledRow): Promise<Readonly<Record<string, string>>> {
    const source = SOURCES[name];
    return source ? this.takenFrom(source) : {};
  }

  private async takenFrom(source: Source): Promise<Readonly<Record<string, string>>> {
    const other = this.rows.get(source.row);
    if (!other) throw new Error(`no row is called ${source.row}`);
    if (source.again) await this.run(other);
    const answer = this.answers.get(source.row) ?? {};
    const pairs = Object.entries(source.take).map(([to, from]) => [
      to,
      String(valueAt(answer, from)),
    ]);
    const more = source.also ? await this.takenFrom(source.also) : {};
    return { ...Object.fromEntries(pairs), ...more };
  }

  private filledPath(
    template: string,
    example: Readonly<Record<string, string>>,
    given: Readonly<Record<string, string>>,
  ): string {
    return template.replace(/\{\+?(\w+)\}/g, (place, name: string, at: number) => {
      const collection = template.slice(0, at - 1);
      return given[name] ?? this.made.get(collection) ?? example[name] ?? place;
    });
  }

  /** Tokens are secrets that only a server gives out, so no example can hold a working one. */
  private async realTokens(row: CompiledRow): Promise<Record<string, string>> {
    if (row.contract.path !== '/auth/accept-invite') return {};
    const invite =
      'mutation { inviteCreate(email: "new@romashka.example", role: developer) { token } }';
    const created = await graphql<{ inviteCreate: { token: string } }>(
      this.app,
      invite,
      {},
      this.login?.accessToken,
    );
    return { token: created.data.inviteCreate.token };
  }

  private keep(collection: string, body: unknown): void {
    const { id, user, accessToken, refreshToken } = (body ?? {}) as Partial<
      Login & { id: string; user: { id: string } }
    >;
    // The walk is that of an administrator of the platform.
    const { platformAdmins } = this.app.server.services.config;
    if (user && !this.login) (platformAdmins as Set<string>).add(user.id);
    if (typeof id === 'string') this.made.set(collection, id);
    // The owner of the first registration goes on; others log in on the way.
    if (accessToken && refreshToken && collection !== '/auth/accept-invite') {
      this.login = { accessToken, refreshToken };
    }
  }
}

/** What stands in an answer under a path of names and places. */
function valueAt(answer: unknown, path: string): unknown {
  if (path === WHOLE) return answer;
  return path.split('.').reduce((value, name) => Reflect.get(Object(value), name), answer);
}

/** Months are closed by organizations that were there when they began. */
export async function backdateTenants({ owner }: TestApp): Promise<void> {
  await owner.pool.query("UPDATE tenant SET created_at = '2019-01-01'");
}

/** Rows in an order that makes sense: the account, its funds, objects, and what ends objects. */
export function inRunningOrder(rows: readonly CompiledRow[]): CompiledRow[] {
  return [...rows].sort((one, other) => rank(one) - rank(other));
}

const FIRST = ['/auth/', '/billing/top-up'];

function rank({ contract: { method, path } }: CompiledRow): number {
  const first = FIRST.findIndex((start) => path.startsWith(start));
  if (first >= 0) return first;
  if (method === 'POST') return path.includes('{') ? FIRST.length + 1 : FIRST.length;
  return method === 'DELETE' ? FIRST.length + 3 : FIRST.length + 2;
}
