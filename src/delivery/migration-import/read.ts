import type { Reading } from './observation.js';
import { withComposed } from './syntax/compose.js';
import { readEnv } from './syntax/env.js';
import { readJson } from './syntax/json.js';
import type { Language } from './syntax/parse-code.js';
import { readShell } from './syntax/shell.js';
import { readYaml } from './syntax/yaml.js';
import { type KnownKind, OBSERVATIONS_MAX, type Syntax } from './vocabulary.js';

const READERS: Readonly<Record<Syntax, (content: string) => Reading | Promise<Reading>>> = {
  env: readEnv,
  json: (content) => withNested(readJson(content)),
  yaml: readYaml,
  shell: readShell,
  python: (content) => readCode('python', content),
  javascript: (content) => readCode('javascript', content),
};

/** The grammars take long to set up, and few ever send code: they are loaded when somebody does. */
async function readCode(language: Language, content: string): Promise<Reading> {
  const code = await import('./syntax/code.js');
  return code.readCode(language, content);
}

/** Workflows hold the bodies of requests as texts, `=` in front where they are expressions. */
function withNested({ observations, faults, tokens }: Reading): Reading {
  const nested = observations.flatMap(({ text = '', path, name, from, to }) => {
    if (!/^=?\s*\{/.test(text)) return [];
    const inner = readJson(text.replace(/^=/, ''));
    const around = [...path, name];
    return inner.faults.length > 0
      ? []
      : inner.observations.map((each) => {
          const place = { from, to, isNested: true };
          return { ...each, ...place, path: [...around, ...each.path] };
        });
  });
  return { observations: [...observations, ...nested].slice(0, OBSERVATIONS_MAX), faults, tokens };
}

/** Reads a text by its syntax. What does not parse is told as faults. */
export async function readText(kind: KnownKind, syntax: Syntax, content: string): Promise<Reading> {
  const reading = await READERS[syntax](content);
  return kind === 'docker_compose' ? withComposed(reading) : reading;
}
