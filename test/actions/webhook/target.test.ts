import { describe, expect, it } from 'vitest';
import { sendWebhook } from '../../../src/actions/webhook/send.js';
import { webhookTarget, webhookUrlFaults } from '../../../src/actions/webhook/target.js';
import { readConfig } from '../../../src/platform/config.js';
import { startCanary } from './canary.js';

const NOTHING_ALLOWED = { webhookHostsAllowed: new Set<string>() };

/** Ways to write a host of this machine or network. `{port}` becomes that of the canary. */
const INSIDE_URLS = [
  'http://127.0.0.1:{port}/',
  'https://127.0.0.1:{port}/',
  'https://127.0.0.1.:{port}/',
  'https://127.1:{port}/',
  'https://127.0.1:{port}/',
  'https://2130706433:{port}/',
  'https://017700000001:{port}/',
  'https://0177.0.0.1:{port}/',
  'https://0177.0.0.01:{port}/',
  'https://0x7f.1:{port}/',
  'https://0x7f.0x0.0x0.0x1:{port}/',
  'https://0x7f000001:{port}/',
  'https://0X7F000001:{port}/',
  'https://127.0.0.0x1:{port}/',
  'https://127.255.255.254:{port}/',
  'https://%31%32%37.0.0.1:{port}/',
  'https://127%2e0%2e0%2e1:{port}/',
  'https://１２７.０.０.１:{port}/',
  'https://127。0。0。1:{port}/',
  'https://127．0．0．1:{port}/',
  'https://①②⑦.⓪.⓪.①:{port}/',
  'https://0:{port}/',
  'https://0.0.0.0:{port}/',
  'https://localhost:{port}/',
  'https://LOCALHOST:{port}/',
  'https://localhost.:{port}/',
  'https://ｌｏｃａｌｈｏｓｔ:{port}/',
  'https://loc%61lhost:{port}/',
  'https://app.localhost:{port}/',
  'https://localhost.localdomain:{port}/',
  'https://ip6-localhost:{port}/',
  'https://[::1]:{port}/',
  'https://[0:0:0:0:0:0:0:1]:{port}/',
  'https://[::]:{port}/',
  'https://[::127.0.0.1]:{port}/',
  'https://[::ffff:127.0.0.1]:{port}/',
  'https://[::ffff:7f00:1]:{port}/',
  'https://[::FFFF:7F00:0001]:{port}/',
  'https://[0:0:0:0:0:ffff:127.0.0.1]:{port}/',
  'https://[::ffff:0:127.0.0.1]:{port}/',
  'https://[64:ff9b::127.0.0.1]:{port}/',
  'https://[64:ff9b:1::127.0.0.1]:{port}/',
  'https://[2002:7f00:1::]:{port}/',
  'https://[2001::80ff:fffe]:{port}/',
  'https://[fe80::1]:{port}/',
  'https://[fe80::1%25lo]:{port}/',
  'https://[fe80::1%lo]:{port}/',
  'https://[fc00::1]:{port}/',
  'https://[fd00:ec2::254]:{port}/',
  'https://[fec0::1]:{port}/',
  'https://[ff02::1]:{port}/',
  'https://user@127.0.0.1:{port}/',
  'https://api.example.com@127.0.0.1:{port}/',
  'https://api.example.com:443@127.0.0.1:{port}/',
  'https://api.example.com%40127.0.0.1:{port}/',
  'https:\\\\127.0.0.1:{port}\\',
  'https:127.0.0.1:{port}/',
  'https:///127.0.0.1:{port}/',
  'https://127.0.0.1:{port}#@api.example.com/',
  'https://127.0.0.1:{port}?@api.example.com/',
  'https://127.0.0.1\t:{port}/',
  'https://10.0.0.1/',
  'https://10.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://[::ffff:169.254.169.254]/',
  'https://168.63.129.16/',
  'https://192.0.0.192/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://metadata.google.internal/',
  'https://metadata/',
  'https://db.corp/',
  'https://printer.local/',
  'https://router.home.arpa/',
  'https://nas.lan/',
  'https://internal/',
  'https://a..b/',
  'ftp://api.example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:{port}/',
  'unix:/var/run/docker.sock',
  'javascript:alert(1)',
  '//127.0.0.1:{port}/',
  '127.0.0.1:{port}',
  '',
];

describe('addresses of endpoints', () => {
  it('refuses every way to write a host inside, and sends nothing there', async () => {
    const canary = await startCanary();
    for (const template of INSIDE_URLS) {
      const url = template.replace('{port}', String(canary.port));
      expect(webhookTarget(url, NOTHING_ALLOWED), url).toBeInstanceOf(Array);
      const call = {
        url,
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
        id: 'msg_1',
        trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: false },
        body: Buffer.from('{}'),
        timeoutMsMax: 2_000,
        signal: new AbortController().signal,
      };
      const config = { ...readConfig({ NODE_ENV: 'test', GW_SECRET: 'x'.repeat(32) }) };
      const { failure, attempts } = await sendWebhook({ config }, call);
      expect({ url, failure, attempts }).toEqual({ url, failure: 'url_refused', attempts: 0 });
    }
    expect(canary.connections()).toBe(0);
    await canary.stop();
    expect(INSIDE_URLS.length).toBeGreaterThanOrEqual(60);
  });

  it('accepts hosts of the public internet on the port of https and from 1024', () => {
    for (const url of [
      'https://api.example.com/hook?x=1',
      'https://api.example.com./hook',
      'https://api.example.com:8443/hook',
      'https://пример.рф/hook',
      'https://77.88.55.242/hook',
      'https://[2a02:6b8:a::a]/hook',
    ]) {
      expect(webhookTarget(url, NOTHING_ALLOWED), url).toMatchObject({ hostAllowed: false });
    }
  });

  it('names every rule that a URL breaks', () => {
    const url = 'http://me:secret@localhost:22/#top';
    expect(webhookUrlFaults('endpoint_url', url, NOTHING_ALLOWED)).toEqual([
      fault('endpoint_url must begin with https://.'),
      fault('endpoint_url must not hold a user name or a password.'),
      fault('endpoint_url must not have a fragment.'),
      fault('endpoint_url must have port 443 or one from 1024.'),
      fault('endpoint_url must name a host of the public internet.'),
    ]);
    expect(webhookUrlFaults('endpoint_url', 'https://api.example.com', NOTHING_ALLOWED)).toEqual(
      [],
    );
  });

  it('bounds the length', () => {
    const url = `https://api.example.com/${'x'.repeat(2_048)}`;
    expect(webhookTarget(url, NOTHING_ALLOWED)).toEqual(['must have at most 2048 characters']);
  });

  it('lets the operator allow hosts inside, by exact name or address in any spelling', () => {
    const allowance = { webhookHostsAllowed: new Set(['crm.lan', '10.0.0.5', 'fd00:0::5']) };
    for (const url of [
      'http://crm.lan/hook',
      'https://CRM.lan:22/',
      'http://10.0.0.5:80/',
      'http://167772165/',
      'https://[::ffff:10.0.0.5]/',
      'https://[fd00::5]/',
    ]) {
      expect(webhookTarget(url, allowance), url).toMatchObject({ hostAllowed: true });
    }
    for (const url of ['https://x.crm.lan/', 'https://10.0.0.6/', 'http://api.example.com/']) {
      expect(webhookTarget(url, allowance), url).toBeInstanceOf(Array);
    }
  });
});

describe('GW_WEBHOOK_ALLOW', () => {
  const read = (list?: string) =>
    readConfig({ NODE_ENV: 'test', GW_SECRET: 'x'.repeat(32), GW_WEBHOOK_ALLOW: list });

  it('lists hosts and addresses, by commas or spaces; nothing by default', () => {
    expect(read().webhookHostsAllowed).toEqual(new Set());
    expect(read('CRM.lan, 10.0.0.5 fd00::5').webhookHostsAllowed).toEqual(
      new Set(['crm.lan', '10.0.0.5', 'fd00::5']),
    );
  });

  it('refuses schemes, ports, wildcards and ranges', () => {
    for (const list of ['http://crm.lan', 'crm.lan:80', '*.lan', '10.0.0.0/8', '[::1]']) {
      expect(() => read(list), list).toThrow('GW_WEBHOOK_ALLOW: must list host names');
    }
  });
});

function fault(message: string) {
  return { path: 'endpoint_url', code: 'invalid', message };
}
