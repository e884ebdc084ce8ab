import { type Customer, rest, type TestApp } from '../../support/app.js';

/** The module changes nothing that anybody asks for. */
export function callsOf(): Readonly<Record<string, never>> {
  return {};
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  { token }: Customer,
): Promise<Record<string, string>> {
  const path = '/v1/gw/transparency/checkpoint';
  const { body } = await rest<{ id: string }>(app, 'GET', path, { credential: token });
  return { LogCheckpoint: body.id };
}
