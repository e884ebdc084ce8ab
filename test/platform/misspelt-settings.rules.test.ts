import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.js';

const SECRET = { GW_SECRET: 'x'.repeat(32) };

function faultsOf(environment: NodeJS.ProcessEnv): string {
  try {
    readConfig({ ...SECRET, ...environment });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a name that is near to a setting', () => {
  it.each([
    ['GW_DATA_DIRS', 'GW_DATA_DIR'],
    ['gw_data_dir', 'GW_DATA_DIR'],
    ['GW_NODEID', 'GW_NODE_ID'],
    ['GW_PROVIDER_FILE', 'GW_PROVIDERS_FILE'],
    ['GW_IN_FLIGHT', 'GW_IN_FLIGHT_MAX'],
    ['GW_DRAIN_TIMEOUT', 'GW_DRAIN_TIMEOUT_MS'],
    ['GW_TRUSTED_PROXY', 'GW_TRUSTED_PROXIES'],
    ['GW_DATABASE_URL', 'DATABASE_URL'],
    ['GW_LOG_LEVEL', 'LOG_LEVEL'],
  ])('(%s) ends the start and is told the one that was meant', (name, meant) => {
    const fault = `${name}: is no setting; ${meant} is one, and is not set`;
    expect(faultsOf({ [name]: 'value' })).toBe(`The configuration has faults:\n  ${fault}`);
  });

  it('is told beside all other faults', () => {
    expect(faultsOf({ GW_NODEID: 'gw', PORT: 'none' }).split('\n')).toHaveLength(3);
  });

  it.each([
    ['whose setting is set', { GW_NODE_ID: 'gw-1', GW_NODE_IP: '10.0.0.1' }],
    ['of another program', { DATABASE_URI: 'postgresql://db', REDIS_URI: 'redis://cache' }],
    ['of the key of a provider', { GW_OUR_MODELS_KEY: 'key' }],
    ['without a value', { GW_NODEID: '' }],
    [
      'that Kubernetes sets for a service called gw',
      {
        GW_PORT: 'tcp://10.0.0.1:8080',
        GW_SERVICE_HOST: '10.0.0.1',
        GW_SERVICE_PORT: '8080',
        GW_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
        GW_PORT_8080_TCP_ADDR: '10.0.0.1',
        GW_PORT_8080_TCP_PORT: '8080',
        GW_PORT_8080_TCP_PROTO: 'tcp',
      },
    ],
  ])('%s is nobody’s fault', (_whose, environment) => {
    expect(faultsOf(environment)).toBe('');
  });
});

describe('addresses of services', () => {
  it('are URLs, or the start says what makes them none', () => {
    const cure = 'of a password, letters such as #, / and @ have to be percent-encoded';
    const settings = { DATABASE_URL: 'postgres://gw:a#b@db:x/gw', REDIS_URL: 'redis://:a/b@c:x' };
    expect(faultsOf(settings)).toBe(
      'The configuration has faults:\n' +
        `  DATABASE_URL: is no URL; ${cure}\n  REDIS_URL: is no URL; ${cure}`,
    );
  });
});
