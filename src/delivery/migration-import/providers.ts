import { z } from 'zod';
import { dataFile, PATTERN } from '../../platform/data-file.js';
import { SOURCE_PROVIDERS } from '../migration/vocabulary.js';

/** By what a provider is recognised; `providers.yaml` says what each field holds. */
const SIGNS = z.strictObject({
  code: z.enum(SOURCE_PROVIDERS.codes),
  hosts: z.array(z.string()),
  names: PATTERN,
  modules: PATTERN,
  models: PATTERN.optional(),
  prefixes: z.array(z.string()),
  caution: z.string().optional(),
});

/** The providers that are recognised; of equal evidence, the earlier one wins. */
export const PROVIDER_SIGNS = dataFile(
  'src/delivery/migration-import/providers.yaml',
  z.array(SIGNS),
);

/** By what a provider is recognised. */
export type ProviderSigns = (typeof PROVIDER_SIGNS)[number];

/** The provider that serves at a host, or undefined for hosts of the customer's own. */
export function providerOfHost(host: string): ProviderSigns | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  return PROVIDER_SIGNS.find(({ hosts }) =>
    hosts.some((known) => name === known || name.endsWith(`.${known}`)),
  );
}

/** The part of a host that names its provider; undefined for hosts of the customer's own. */
export function suffixOfHost(host: string): string | undefined {
  const name = host.toLowerCase();
  const hosts = providerOfHost(name)?.hosts ?? [];
  return hosts.find((known) => name === known || name.endsWith(`.${known}`));
}

/** The provider that a router's prefix or the name of a model means. */
export function providerOfModel(model: string): ProviderSigns | undefined {
  const [prefix = '', ...rest] = model.toLowerCase().split('/');
  const byPrefix =
    rest.length > 0 ? PROVIDER_SIGNS.find(({ prefixes }) => prefixes.includes(prefix)) : undefined;
  const name = rest.at(-1) ?? prefix;
  return byPrefix ?? PROVIDER_SIGNS.find(({ models }) => models?.test(name) ?? false);
}

const MODEL_NAME = new RegExp(
  [
    '^(?:[\\w.-]{1,40}/){0,3}(?:',
    'gpt-\\d|chatgpt-|o[134](?:-mini|-preview|-pro)?(?:-|$)|text-embedding-|whisper-|tts-1|dall-e|',
    'claude-|gemini-|deepseek-|mistral-|mixtral|llama-?\\d|qwen|command-r|grok-|sonar|',
    'gigachat(?:-|$)|yandexgpt(?:-|/|$)|bge-|e5-|multilingual-e5',
    ')[\\w.:-]{0,80}$',
  ].join(''),
  'i',
);

/** True for texts that are the name of a well-known model wherever they stand. */
export function isModelName(text: string): boolean {
  return text.length <= 160 && MODEL_NAME.test(text);
}
