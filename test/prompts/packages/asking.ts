import type { ErrorBody } from '../../journeys/people.js';
import { type Answer, rest, type TestApp } from '../../support/app.js';
import { prove } from '../../support/proof.js';

/** A version as REST tells it. */
export interface Version {
  readonly version: number;
  readonly status: string;
  readonly current: boolean;
  readonly superseded_by: number | null;
  readonly receipt_id: string | null;
}

/** A package as REST tells it. */
export interface Detail extends ErrorBody {
  readonly id: string;
  readonly status: string;
  readonly current_version: number | null;
  readonly versions: readonly Version[];
  readonly lifecycle: {
    readonly next: readonly object[];
    readonly history: readonly { readonly event: string; readonly version: number }[];
  };
}

/** The calls of one caller. */
export class Asking {
  constructor(
    private readonly app: Pick<TestApp, 'url'>,
    private readonly credential: string,
  ) {}

  /** Posts to a path below the packages. */
  post(
    path: string,
    body: Readonly<Record<string, unknown>> = {},
    credential = this.credential,
  ): Promise<Answer<Detail & { readonly gate_status: string }>> {
    return rest(this.app, 'POST', `/v1/gw/prompts${path}`, { credential, body });
  }

  /** Promotes a version as far as asked, evaluating it and running its gate before. */
  async promoteTo(id: string, version: number, status: string): Promise<Detail> {
    await prove(this.app, this.credential, id, { version });
    for (;;) {
      const { body } = await this.post(`/${id}/promote`, { version });
      if (body.error) throw new Error(body.error.message);
      const stands = body.versions.find((each) => each.version === version)?.status;
      if (stands === status) return body;
    }
  }
}

/** Where each version stands, newest first, the current one with an asterisk. */
export function standing({ versions }: Detail): string[] {
  return versions.map(
    ({ version, status, current }) => `${version} ${status}${current ? '*' : ''}`,
  );
}
