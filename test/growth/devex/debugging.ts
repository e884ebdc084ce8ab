import { expect } from 'vitest';
import { type Customer, rest, type TestApp } from '../../support/app.js';

/** What a debugging answers. */
export interface Debugged {
  readonly verdict: string;
  readonly reason: string;
  readonly normalized: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly {
    readonly code: string;
    readonly path: string;
    readonly message: string;
    readonly near: readonly string[];
  }[];
  readonly explanations: readonly {
    readonly code: string;
    readonly stated: boolean;
    readonly cause: string;
    readonly fix: readonly string[];
    readonly doc_url: string;
  }[];
  readonly patch: readonly {
    readonly op: string;
    readonly path: string;
    readonly value?: unknown;
  }[];
  readonly values_changed: number;
}

/** A model that anybody can call. */
export const MODEL = 'sandbox/gw-mini';
/** What is said in requests of which only the rest matters. */
export const SAID = [{ role: 'user', content: 'Привет' }];

/** Asks for a debugging. */
export async function debugAt(app: TestApp, body: object, credential?: string): Promise<Debugged> {
  const answer = await rest<Debugged>(app, 'POST', '/v1/gw/devex/debug', { body, credential });
  expect([answer.status, answer.body]).toEqual([200, expect.any(Object)]);
  return answer.body;
}

/** RFC 6902 as the customer's own library does it: written apart from what made the patch. */
export function apply(body: unknown, patch: Debugged['patch']): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  for (const { op, path, value } of patch) {
    const steps = path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    const parent = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
    if (Array.isArray(parent)) {
      if (op === 'remove') parent.splice(Number(last), 1);
      else parent.splice(Number(last), op === 'replace' ? 1 : 0, value);
    } else if (op === 'remove') delete (parent as Record<string, unknown>)[last];
    else (parent as Record<string, unknown>)[last] = value;
  }
  return copy;
}

/** Sends a request to the chat itself. */
export function chatAt(app: TestApp, body: unknown, { key }: Customer) {
  const options = { credential: key, body };
  return rest<{ error?: { code: string } }>(app, 'POST', '/v1/chat/completions', options);
}
