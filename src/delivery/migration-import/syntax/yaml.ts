import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Observation, ParseFault, Reading } from '../observation.js';
import { variableIn } from '../observation.js';
import { DEPTH_MAX, FAULTS_MAX, OBSERVATIONS_MAX } from '../vocabulary.js';
import { yamlTokens } from './yaml-tokens.js';

const OPTIONS = {
  // Its messages would quote the text; only codes and places are taken from its errors.
  prettyErrors: false,
  strict: false,
  uniqueKeys: false,
  logLevel: 'silent',
} as const;

/** Reads YAML with the place of every value. Aliases are not followed, so they cannot multiply. */
export function readYaml(content: string): Reading {
  try {
    const reader = new YamlReader();
    for (const document of parseAllDocuments(content, OPTIONS)) {
      for (const { code, pos } of document.errors) {
        reader.fault(pos[0], `the YAML is wrong here (${code})`);
      }
      reader.visit(document.contents, '', [], 0);
    }
    const { observations, faults } = reader;
    return { observations, faults, tokens: yamlTokens(content) };
  } catch (error) {
    // The parser goes down one call for each level: what is too deep for it, is too deep.
    if (!(error instanceof RangeError)) throw error;
    const message = `nested deeper than ${DEPTH_MAX} levels`;
    return { observations: [], faults: [{ at: 0, message }], tokens: [] };
  }
}

type Place = Pick<Observation, 'name' | 'path' | 'from' | 'to'>;

class YamlReader {
  readonly observations: Observation[] = [];
  readonly faults: ParseFault[] = [];

  fault(at: number, message: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ at, message });
  }

  visit(node: unknown, name: string, path: readonly string[], depth: number): void {
    if (isAlias(node) || node === null || typeof node !== 'object') return;
    const [from = 0, to = 0] = (node as { range?: readonly number[] | null }).range ?? [];
    if (this.observations.length >= OBSERVATIONS_MAX) return;
    if (depth > DEPTH_MAX) this.fault(from, `nested deeper than ${DEPTH_MAX} levels`);
    else if (isScalar(node)) this.scalar(node.value, { name, path, from, to });
    else if (isMap(node) || isSeq(node)) this.collection(node, { name, path, from, to }, depth);
  }

  private collection(node: YAMLMap | YAMLSeq, place: Place, depth: number): void {
    const { name, path } = place;
    const inside = name === '' ? path : [...path, name];
    const shape = node.items.length === 0 ? 'empty' : isMap(node) ? 'object' : 'list';
    this.observations.push({ ...place, kind: 'pair', shape });
    for (const item of node.items) {
      if (isPair(item)) {
        const key = isScalar(item.key) ? String(item.key.value) : '';
        this.visit(item.value, key, inside, depth + 1);
      } else this.visit(item, '', inside, depth + 1);
    }
  }

  private scalar(value: unknown, place: Place): void {
    const text = value === null || value === undefined ? '' : String(value);
    const types = { boolean: 'flag', number: 'number', bigint: 'number' } as const;
    const known = types[typeof value as keyof typeof types];
    const shape = known ?? (text === '' ? 'empty' : 'text');
    const kind = place.name === '' ? 'text' : 'pair';
    this.observations.push({ ...place, kind, text, variable: variableIn(text), shape });
  }
}
