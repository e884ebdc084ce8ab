import { IMPORT_KINDS, type KnownKind, type Syntax } from './vocabulary.js';

const isJson = (content: string) => /^[\s\uFEFF]*[{[]/.test(content);
const jsonWith =
  (...names: readonly string[]) =>
  (content: string) =>
    isJson(content) && names.every((name) => content.includes(`"${name}"`));
const PYTHON =
  /^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?[ \t]*(?:$|,|#)|(?:async )?def \w+\()/m;
const NODE = new RegExp(
  `^[ \\t]{0,40}(?:${[
    `import\\b.*['"]`,
    'export (?:const|default|async|function|class|type|interface|[{*])',
    '(?:const|let|var) [\\w{[]',
    '(?:async )?function \\w',
  ].join('|')})`,
  'm',
);
const ENV_LINE = /^(?:export\s+)?[A-Za-z_][\w.-]*=/;

/** Which kind a text is, most telling signs first. */
const SIGNS: readonly {
  readonly kind: KnownKind;
  readonly fits: (content: string) => boolean;
}[] = [
  { kind: 'n8n', fits: jsonWith('nodes', 'connections') },
  { kind: 'make', fits: jsonWith('flow', 'module') },
  { kind: 'langflow', fits: jsonWith('nodes', 'edges', 'template') },
  { kind: 'flowise', fits: jsonWith('nodes', 'edges') },
  {
    kind: 'litellm',
    fits: (content) => /^["' ]{0,4}(?:model_list|litellm_settings|litellm_params)\b/m.test(content),
  },
  {
    kind: 'docker_compose',
    fits: (content) =>
      /^["']?services["']?:/m.test(content) &&
      /^[ \t]{1,20}["']?(?:image|build|environment|env_file|command)["']?:/m.test(content),
  },
  { kind: 'curl', fits: (content) => /^[\s$]{0,8}curl\s/m.test(content) },
  { kind: 'env', fits: (content) => !isCode(content) && isMostlyEnv(content) },
  {
    kind: 'langchain',
    fits: (content) => /(?:from|import)[\s\S]{0,80}@?langchain/.test(content) && isCode(content),
  },
  { kind: 'python', fits: (content) => PYTHON.test(content) },
  { kind: 'node', fits: (content) => NODE.test(content) },
  { kind: 'python', fits: (content) => /^[\w.]+ ?= ?[\w.]+\(/m.test(content) },
];

function isCode(content: string): boolean {
  return PYTHON.test(content) || NODE.test(content);
}

function isMostlyEnv(content: string): boolean {
  const lines = content.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line.slice(0, 200)));
  const fitting = lines.filter((line) => ENV_LINE.test(line.slice(0, 300)));
  return lines.length > 0 && fitting.length * 2 > lines.length;
}

const LOOKED_AT_MAX = 32_768;

/** The kind of a text, or undefined when nothing tells. */
export function kindOf(content: string): KnownKind | undefined {
  const start = content.slice(0, LOOKED_AT_MAX);
  return SIGNS.find(({ fits }) => fits(start))?.kind;
}

/** How a text of a kind is read. */
export function syntaxOf(kind: KnownKind, content: string): Syntax {
  const start = content.slice(0, LOOKED_AT_MAX);
  const syntax = IMPORT_KINDS.find(kind)?.syntax ?? 'any';
  if (syntax === 'code') return PYTHON.test(start) ? 'python' : 'javascript';
  return syntax === 'any' || (syntax === 'yaml' && isJson(start)) ? 'json' : syntax;
}
