/** Any JSON object of an OpenAPI document. */
export interface Node {
  readonly [name: string]: unknown;
}

/** One operation as the texts show it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly group: string;
  readonly isPublic: boolean;
  readonly parameters: readonly Node[];
  readonly requestSchema: Node | undefined;
  readonly requestExample: unknown;
  readonly responses: readonly Answer[];
}

/** One answer of an operation, by content type. */
export interface Answer {
  readonly status: string;
  readonly contentType: string;
  readonly schema: Node | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** An OpenAPI 3.1 document, read for people and agents. */
export class OpenApiView {
  private readonly document: Node;

  constructor(json: string) {
    this.document = asNode(JSON.parse(json)) ?? {};
  }

  /** What the document says about the service as a whole. */
  get description(): string {
    return textOf(asNode(this.document.info)?.description);
  }

  /** Every operation, in the order of the document. */
  operations(): Operation[] {
    return Object.entries(asNode(this.document.paths) ?? {}).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = asNode(asNode(item)?.[method]);
        return operation ? [this.operation(method, path, operation, asNode(item))] : [];
      }),
    );
  }

  /** The fields of an object schema, one line each, nested ones indented under their parent. */
  fieldLines(schema: Node | undefined, indent = '', depth = 0): string[] {
    const found = this.resolve(schema);
    const required = listOf(found.required);
    const others = [found.allOf, found.oneOf, found.anyOf].flatMap(listOf).map(asNode);
    return [found, ...others.map((part) => this.resolve(part))]
      .flatMap((part) => Object.entries(asNode(part.properties) ?? {}))
      .flatMap(([name, value]) => {
        const field = this.resolve(asNode(value));
        const must = required.includes(name) ? ', required' : '';
        const about = textOf(field.description).replace(/\s+/g, ' ');
        const type = `${this.typeOf(field)}${must}`;
        const line = `${indent}- \`${name}\` (${type})${about && `: ${about}`}`;
        const inner = this.itemOf(field);
        if (depth >= NESTING_MAX) return [line];
        return [line, ...this.fieldLines(inner, `${indent}  `, depth + 1)];
      });
  }

  /** The type of a schema in words. */
  typeOf(schema: Node | undefined): string {
    const found = this.resolve(schema);
    if (Array.isArray(found.enum))
      return `one of ${found.enum.map((one) => String(one)).join(', ')}`;
    if (found.const !== undefined) return `always ${String(found.const)}`;
    const choices = [...listOf(found.oneOf), ...listOf(found.anyOf)];
    if (choices.length > 0) {
      return [...new Set(choices.map((choice) => this.typeOf(asNode(choice))))].join(' or ');
    }
    const types = Array.isArray(found.type) ? found.type.map(String) : [textOf(found.type)];
    const names = types.map((type) =>
      type === 'array' ? `array of ${this.typeOf(asNode(found.items))}` : type || 'any',
    );
    const format = textOf(found.format);
    return names.join(' or ') + (format ? ` (${format})` : '');
  }

  private operation(method: string, path: string, operation: Node, item?: Node): Operation {
    const body = this.resolve(asNode(operation.requestBody));
    const [content] = Object.values(asNode(body.content) ?? {}).map(asNode);
    const parameters = [...listOf(item?.parameters), ...listOf(operation.parameters)];
    const security = operation.security ?? this.document.security;
    return {
      method: method.toUpperCase(),
      path,
      operationId: textOf(operation.operationId),
      summary: textOf(operation.summary),
      description: textOf(operation.description),
      group: textOf(listOf(operation.tags)[0]),
      isPublic: listOf(security).length === 0,
      parameters: parameters.map((parameter) => this.resolve(asNode(parameter))),
      requestSchema: asNode(content?.schema),
      requestExample: exampleOf(content),
      responses: this.answers(operation),
    };
  }

  private answers(operation: Node): Answer[] {
    return Object.entries(asNode(operation.responses) ?? {}).flatMap(([status, value]) => {
      const content = asNode(this.resolve(asNode(value)).content) ?? {};
      return Object.entries(content).map(([contentType, media]) => {
        return { status, contentType, schema: asNode(asNode(media)?.schema) };
      });
    });
  }

  /** What an array holds, or the object itself. */
  private itemOf(field: Node): Node | undefined {
    return field.items === undefined ? field : this.resolve(asNode(field.items));
  }

  /** Follows `$ref` inside the document. */
  private resolve(node: Node | undefined): Node {
    let found = node;
    for (
      let step = 0;
      found && typeof found.$ref === 'string' && step < REFERENCES_MAX;
      step += 1
    ) {
      const names = found.$ref.replace(/^#\//, '').split('/').map(unescapePointer);
      found = names.reduce<Node | undefined>((at, name) => asNode(at?.[name]), this.document);
    }
    return found ?? {};
  }
}

/** Deeper fields are found in /openapi.json. */
const NESTING_MAX = 2;

const REFERENCES_MAX = 16;

function exampleOf(content: Node | undefined): unknown {
  if (content?.example !== undefined) return content.example;
  const [first] = Object.values(asNode(content?.examples) ?? {});
  return asNode(first)?.value;
}

function asNode(value: unknown): Node | undefined {
  const isNode = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isNode ? (value as Node) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
