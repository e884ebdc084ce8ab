import { appoint } from '../../money/operations/world.js';
import { type Customer, newCustomer, startApp } from '../../support/app.js';
import { ask, type Body } from '../certification/world.js';
import { startNameServer } from './dns.js';

export const IDENTITIES = '/marketplace/publisher-identities';
export const OPERATOR = '/marketplace/operator';

/** A gateway that asks a name server of the test, with an operator and two customers. */
export async function openMarket() {
  const server = await startNameServer();
  const app = await startApp({ GW_DNS_SERVERS: server.address });
  const records = new Map<string, readonly string[]>();
  const answerRecords = () => {
    server.zone = (name) => records.get(name) ?? 'nxdomain';
  };
  answerRecords();
  const [operator, customer, other] = [
    await newCustomer(app),
    await newCustomer(app),
    await newCustomer(app),
  ];
  appoint(app, operator.userId);
  let names = 0;
  const newDomain = () => {
    names += 1;
    return `owner-${names}.example.com`;
  };
  const claim = async (who: Customer, more: object = {}) => {
    const stated = { legal_name: `ООО Владелец ${names} номер`, domain: newDomain(), ...more };
    const { body } = await ask(app, 'POST', IDENTITIES, stated, who.token);
    return body;
  };
  /** Looks for the record, as if the last look had been long ago. */
  const verify = async (who: Customer, id: string) => {
    const text = 'UPDATE publisher_identity SET checked_at = NULL WHERE id = $1';
    await app.owner.pool.query(text, [id]);
    return ask(app, 'POST', `${IDENTITIES}/${id}/verify`, undefined, who.token);
  };
  const setRecord = (claimed: Body, ...more: string[]) =>
    records.set(String(claimed.record_name), [String(claimed.record_value), ...more]);
  const proved = async (who: Customer, more: object = {}) => {
    const claimed = await claim(who, more);
    setRecord(claimed);
    return (await verify(who, claimed.id)).body;
  };
  const rule = (path: string, body: object, credential = operator.token) =>
    ask(app, 'POST', `${OPERATOR}${path}`, body, credential);
  const judge = (id: string, decision: string, credential?: string) =>
    rule(`/publisher-identities/${id}/decision`, { decision, reason: 'Seen.' }, credential);
  const measure = (id: string, what: string, credential?: string) =>
    rule(`/listings/${id}/measures`, { measure: what, reason: `Done: ${what}.` }, credential);
  const shown = async (id: string): Promise<Body | undefined> => {
    const { body } = await ask(app, 'GET', '/marketplace/listings?limit=200');
    return body.data.find((each) => each.id === id);
  };
  const stop = async () => {
    await app.stop();
    server.stop();
  };
  const asking = { claim, verify, setRecord, proved, rule, judge, measure, shown };
  return {
    app,
    server,
    records,
    answerRecords,
    operator,
    customer,
    other,
    newDomain,
    ...asking,
    stop,
  };
}
