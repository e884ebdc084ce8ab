import type { ExampleOrigin } from '../../../rest-compat/example-sources.js';
import { type InLanguages, inEveryLanguage } from '../../kernel/language/languages.js';
import { OPERATIONS, type TypeWords } from './operation-texts.js';

/** What the texts read of a JSON Schema of our own description. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A parameter of path, query or header, or the name of one that several operations take. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  /** What its example takes from others, as `rest-compat/example-sources.ts` says. */
  readonly 'x-example-from'?: readonly ExampleOrigin[];
  /** What its example needs that no other one makes. */
  readonly 'x-example-needs'?: string;
}

interface Description {
  readonly info: { readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** One operation as the texts show it. */
export interface Operation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Our OpenAPI description, as `openapi.ts` makes it, read for people and agents. */
export class OpenApiView {
  private constructor(
    private readonly document: Description,
    private readonly words: TypeWords,
  ) {}

  /** The description as it is read in every language. */
  static inLanguages(json: string): InLanguages<OpenApiView> {
    const document = JSON.parse(json) as Description;
    return inEveryLanguage((language) => new OpenApiView(document, OPERATIONS[language].types));
  }

  /** What the document says about the service as a whole. */
  get description(): string | undefined {
    return this.document.info.description;
  }

  /** Every operation, in the order of the document. */
  operations(): Operation[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        if (!operation) return [];
        const isPublic = operation.security.length === 0;
        const parameters = operation.parameters?.map((each) => this.parameter(each));
        return [{ ...operation, parameters, method: method.toUpperCase(), path, isPublic }];
      }),
    );
  }

  /** The fields of an object schema, one line each, nested ones indented under their parent. */
  fieldLines(schema: Schema | undefined, indent = '', depth = 0): string[] {
    const found = this.resolve(schema);
    const { allOf = [], oneOf = [], anyOf = [] } = found;
    return [found, ...allOf, ...oneOf, ...anyOf]
      .flatMap((part) => Object.entries(this.resolve(part).properties ?? {}))
      .flatMap(([name, value]) => {
        const field = this.resolve(value);
        const must = found.required?.includes(name) ? `, ${this.words.required}` : '';
        const about = field.description ? `: ${field.description.replace(/\s+/g, ' ')}` : '';
        const line = `${indent}- \`${name}\` (${this.typeOf(field)}${must})${about}`;
        if (depth >= NESTING_MAX) return [line];
        return [line, ...this.fieldLines(field.items ?? field, `${indent}  `, depth + 1)];
      });
  }

  /** The type of a schema in words. */
  typeOf(schema: Schema | undefined): string {
    const found = this.resolve(schema);
    const { oneOf, always, arrayOf, or, any: whatever } = this.words;
    if (found.enum) return oneOf(found.enum.join(', '));
    if (found.const !== undefined) return always(String(found.const));
    const choices = [...(found.oneOf ?? []), ...(found.anyOf ?? [])];
    if (choices.length > 0) {
      return [...new Set(choices.map((choice) => this.typeOf(choice)))].join(or);
    }
    const names = [found.type ?? whatever]
      .flat()
      .map((type) => (type === 'array' ? arrayOf(this.typeOf(found.items)) : type));
    return names.join(or) + (found.format ? ` (${found.format})` : '');
  }

  /** A parameter in a line: name, place, type and meaning. */
  parameterLine(parameter: Parameter): string {
    const must = parameter.required ? `, ${this.words.required}` : '';
    const about = parameter.description ? `: ${parameter.description}` : '';
    const type = this.typeOf(parameter.schema) + must;
    return `- \`${parameter.name}\` (${parameter.in}, ${type})${about}`;
  }

  private parameter(parameter: Parameter): Parameter {
    const name = parameter.$ref?.replace('#/components/parameters/', '');
    return (
      (name === undefined ? undefined : this.document.components.parameters?.[name]) ?? parameter
    );
  }

  /** A value of a schema's shape: names as they are, and values that show their type. */
  sampleOf(schema: Schema | undefined, depth = 0): unknown {
    const { allOf = [], oneOf = [], anyOf = [], ...own } = this.resolve(schema);
    if (own.const !== undefined) return own.const;
    if (own.enum) return own.enum[0];
    const [choice] = [...oneOf, ...anyOf];
    if (choice && !own.properties) return this.sampleOf(choice, depth);
    const [type = own.properties || allOf.length > 0 ? 'object' : 'any'] = [own.type ?? []].flat();
    if (type === 'array')
      return depth > SAMPLE_DEPTH_MAX ? [] : [this.sampleOf(own.items, depth + 1)];
    if (type !== 'object') return SAMPLES[type] ?? null;
    if (depth > SAMPLE_DEPTH_MAX) return {};
    const members = [own, ...allOf].flatMap((part) =>
      Object.entries(this.resolve(part).properties ?? {}),
    );
    return Object.fromEntries(members.map(([name, one]) => [name, this.sampleOf(one, depth + 1)]));
  }

  /** The schema that a reference names; all of them are components. */
  private resolve(schema: Schema = {}): Schema {
    const name = schema.$ref?.replace('#/components/schemas/', '');
    return name === undefined ? schema : (this.document.components.schemas[name] ?? {});
  }
}

/** What stands for a value in a sample, by its type. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  string: '…',
  integer: 0,
  number: 0,
  boolean: true,
};
/** Deeper objects are left empty in a sample. */
const SAMPLE_DEPTH_MAX = 5;

/** Deeper fields are found in /openapi.json. */
const NESTING_MAX = 2;
