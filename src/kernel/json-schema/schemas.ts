import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import type { Fault } from '../errors/fail.js';
import type { JsonObject } from '../json.js';
import { teachFormats } from './formats.js';
import { LINEAR_TIME } from './patterns.js';
import { boundFaults, type SchemaRules } from './rules.js';
import { valueFault } from './value-fault.js';
import { WorkStopped, withinTime } from './within-time.js';

/** Compiled schemas that one place keeps. */
const KEPT_MAX = 500;

/** Faults that are named at most. */
const FAULTS_MAX = 100;

const REASON_LENGTH_MAX = 300;

let meta: Ajv2020 | undefined;

/**
 * Judges schemas by the meta-schema of the draft. To compile that takes much longer than to compile
 * a schema of a customer, so it is done once, and the first who brings one waits for it: it counts
 * for none of the time that a schema may take.
 */
function metaSchema(): Ajv2020 {
  if (meta) return meta;
  const made = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    code: { regExp: LINEAR_TIME },
  });
  if (made.validateSchema({}) !== true) throw new Error('the meta-schema refuses an empty schema');
  meta = made;
  return made;
}

/**
 * The JSON Schemas of one place: what customers may write there, and the judging of values by it.
 * A schema is compiled once, work ends after a time, and nothing is fetched.
 */
export class JsonSchemas {
  readonly #rules: SchemaRules;
  /** By the object for schemas that stay, by their text for those that were read from a row. */
  readonly #ofObjects = new WeakMap<JsonObject, ValidateFunction>();
  readonly #ofTexts = new LRUCache<string, ValidateFunction>({ max: KEPT_MAX });

  constructor(rules: SchemaRules) {
    this.#rules = rules;
  }

  /**
   * Every fault of a schema as a customer writes it, each under its dotted path; none where values
   * can be judged by it.
   * @throws WorkStopped where the rules say so
   */
  schemaFaults(path: string, schema: unknown): Fault[] {
    return this.#finished(path, () => {
      const faults = withinTime(this.#rules.workMsMax, () =>
        boundFaults(this.#rules, path, schema),
      );
      return faults.length > 0
        ? faults.slice(0, FAULTS_MAX)
        : this.#compileFaults(path, schema as JsonObject);
    });
  }

  /**
   * What is wrong with a value, each fault under its dotted path below `root`; at most 100. The
   * time may be set shorter, or longer, than the rules have it.
   * @throws Error for a schema that does not compile; WorkStopped where the rules say so
   */
  valueFaults(
    schema: JsonObject,
    value: unknown,
    root: string,
    workMsMax = this.#rules.workMsMax,
  ): Fault[] {
    return this.#finished(root, () => {
      const validate = this.#compiled(schema);
      if (withinTime(workMsMax, () => validate(value))) return [];
      return (validate.errors ?? [])
        .filter(({ keyword }) => keyword !== 'if')
        .slice(0, FAULTS_MAX)
        .map((error) => valueFault(error, root));
    });
  }

  #finished(path: string, work: () => Fault[]): Fault[] {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof WorkStopped) || this.#rules.stopped === 'thrown') throw thrown;
      return [
        { path, code: 'invalid', message: `${path} cannot be judged: it ${thrown.message}.` },
      ];
    }
  }

  #compileFaults(path: string, schema: JsonObject): Fault[] {
    try {
      const errors = this.#rules.keywords === 'any' ? [] : this.#metaErrors(schema);
      if (errors.length === 0) this.#compiled(schema);
      return errors.map((error) => ({ ...valueFault(error, path), code: 'invalid' }));
    } catch (thrown) {
      if (thrown instanceof WorkStopped) throw thrown;
      const why = (thrown as Error).message.slice(0, REASON_LENGTH_MAX);
      return [{ path, code: 'invalid', message: `${path} cannot be used: ${why}.` }];
    }
  }

  /** What the meta-schema of the draft says about a schema. */
  #metaErrors(schema: JsonObject): ErrorObject[] {
    const judge = metaSchema();
    const plain = plainCopy(schema);
    const isWell = withinTime(this.#rules.workMsMax, () => judge.validateSchema(plain));
    return isWell === true ? [] : (judge.errors ?? []).slice(0, FAULTS_MAX);
  }

  /** A compiler keeps every schema that it has seen, so each schema gets one of its own. */
  #compiled(schema: JsonObject): ValidateFunction {
    const known = this.#ofObjects.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema);
    const validate = this.#ofTexts.get(text) ?? this.#compile(text);
    this.#ofTexts.set(text, validate);
    this.#ofObjects.set(schema, validate);
    return validate;
  }

  #compile(text: string): ValidateFunction {
    return withinTime(this.#rules.workMsMax, () =>
      this.#newCompiler().compile(JSON.parse(text) as JsonObject),
    );
  }

  #newCompiler(): Ajv2020 {
    const { keywords, formats, references } = this.#rules;
    const compiler = new Ajv2020({
      allErrors: true,
      verbose: true,
      strictSchema: keywords !== 'any',
      strictNumbers: true,
      strictTypes: false,
      strictTuples: false,
      strictRequired: false,
      validateSchema: false,
      validateFormats: formats !== 'unchecked',
      // Without references no schema needs a name, and one that has a name cannot take another's.
      addUsedSchema: references,
      logger: false,
      code: { regExp: LINEAR_TIME },
    });
    teachFormats(compiler);
    return compiler;
  }
}

/** Literals of GraphQL documents come as objects without a prototype. */
function plainCopy(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
