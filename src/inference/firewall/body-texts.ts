import { failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { decodedAt } from './encoded-text.js';
import type { Encoding } from './mask.js';
import { changedEach, changedMembers } from './rewrite.js';
import { CLOSED_VALUES, readableNumber, WIRE_NAMES } from './unread-positions.js';

/**
 * What is shown every name, text and number of a request that leaves, in an order that depends on
 * the request alone. Each call answers with what is to stand instead.
 */
export interface TextVisitor {
  /** A text that is judged by itself. Foreign is what a user or a tool wrote. */
  alone(text: string, encoding: Encoding, isForeign: boolean): string;
  /** What follows, up to `end`, is judged together: names say what the values beside them are. */
  begin(isForeign: boolean): void;
  end(): void;
  /** A name of the wire, which says something about the value behind it and nothing by itself. */
  known(name: string): void;
  name(name: string): string;
  text(text: string): string;
  /** A number, and the text that it leaves as. */
  number(value: number, written: string): number | string;
}

/** Deeper values are refused: no wire needs them, and whoever reads them may run out of stack. */
const LEVELS_MAX = 128;

const FOREIGN_ROLES = new Set(['user', 'tool', 'function']);

/**
 * Members of messages that only refer to something. They are judged without their neighbours, so
 * that the same id reads the same wherever it stands.
 */
const REFERENCES = new Set(['id', 'tool_call_id', 'call_id']);

/**
 * Rewrites a request: every name of a member, text and number at any depth, but for the positions
 * of `UNREAD_POSITIONS`. The body is never mutated, and is the answer itself where nothing changes.
 * @throws invalid_request where it is nested too deep
 */
export function rewriteRequest<T extends object>(body: T, visitor: TextVisitor): T {
  return new RequestWalk(visitor, !('messages' in body)).body(body);
}

class RequestWalk {
  /** The member of the body that is being read. */
  private member = '';
  /** Of the message that is being read. */
  private isForeign = false;
  private isMessage = false;

  constructor(
    private readonly visitor: TextVisitor,
    private readonly takesTokens: boolean,
  ) {}

  body<T extends object>(body: T): T {
    this.visitor.begin(false);
    const rewritten = changedMembers(body, this.name, (name, value) => {
      this.member = name;
      return this.bodyMember(name, value);
    });
    this.visitor.end();
    return rewritten as T;
  }

  private bodyMember(name: string, value: unknown): unknown {
    if (name === 'messages') return changedEach(value, (message) => this.message(message));
    if (name === 'model' && typeof value === 'string') return value;
    if (name === 'seed' && Number.isInteger(value)) return value;
    if (name === 'input') return this.input(value);
    if (name === 'prediction') return this.withContent(value);
    return this.value(name, value, 1);
  }

  private message(value: unknown): unknown {
    this.isMessage = true;
    this.isForeign = FOREIGN_ROLES.has(String(asObject(value)?.role));
    this.visitor.begin(this.isForeign);
    const rewritten = this.withContent(value);
    this.visitor.end();
    this.isForeign = false;
    this.isMessage = false;
    return rewritten;
  }

  private withContent(value: unknown): unknown {
    const given = asObject(value);
    if (!given) return this.value('', value, 1);
    return changedMembers(given, this.name, (name, member) =>
      name === 'content' ? this.content(member) : this.value(name, member, 2),
    );
  }

  /** A text, or content parts whose texts are read like it. */
  private content(value: unknown): unknown {
    if (typeof value === 'string') return this.alone(value);
    if (!Array.isArray(value)) return this.value('content', value, 2);
    return changedEach(value, (part) => {
      if (typeof part === 'string') return this.alone(part);
      const given = asObject(part);
      if (!given) return this.value('content', part, 3);
      return changedMembers(given, this.name, (name, member) => {
        const isText = (name === 'text' || name === 'refusal') && typeof member === 'string';
        return isText ? this.alone(member) : this.value(name, member, 4);
      });
    });
  }

  /** What embeddings are made of. Numbers are tokens there. */
  private input(value: unknown): unknown {
    if (typeof value === 'string') return this.alone(value);
    if (this.takesTokens && isTokens(value)) return value;
    return Array.isArray(value) ? this.content(value) : this.value('input', value, 1);
  }

  private alone(text: string): string {
    return this.visitor.alone(text, 'plain', this.isForeign);
  }

  private readonly name = (name: string): string => {
    if (!WIRE_NAMES.has(name)) return this.visitor.name(name);
    this.visitor.known(name);
    return name;
  };

  /** Any value at any depth, with the name of the member that it stands in. */
  private value(name: string, value: unknown, level: number): unknown {
    if (typeof value === 'string') return this.text(name, value);
    if (typeof value === 'number') {
      const written = readableNumber(value);
      return written === undefined ? value : this.visitor.number(value, written);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (level > LEVELS_MAX) return refuseDepth(this.member);
    if (Array.isArray(value)) {
      return changedEach(value, (element) => this.value(name, element, level + 1));
    }
    return changedMembers(value as JsonObject, this.name, (inner, member) =>
      this.value(inner, member, level + 1),
    );
  }

  private text(name: string, text: string): string {
    if (CLOSED_VALUES.has(text)) return text;
    if (name === 'arguments') return this.visitor.alone(text, 'json', false);
    if (this.isMessage && REFERENCES.has(name)) return this.visitor.alone(text, 'plain', false);
    const encoded = decodedAt(name, text);
    if (encoded === undefined) return this.visitor.text(text);
    const standing = encoded.isReadable ? this.visitor.text(text) : text;
    if (encoded.kind === 'binary') return standing;
    const read = this.alone(encoded.text);
    if (read === encoded.text) return standing;
    // Masked in one reading it would still show the other: then nothing of it leaves.
    return standing === text ? encoded.encode(read) : encoded.encode('');
  }
}

/** A token array, or token arrays. */
function isTokens(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [first] = value;
  const lists = Array.isArray(first) ? (value as unknown[]) : [value];
  return lists.every((list) => Array.isArray(list) && list.every(isToken));
}

function isToken(value: unknown): boolean {
  return typeof value === 'number' && readableNumber(value) === undefined;
}

function refuseDepth(path: string): never {
  const message = `${path} is nested more than ${LEVELS_MAX} levels deep.`;
  failOnFaults([{ path, code: 'out_of_range', message }]);
  throw new TypeError(message);
}
