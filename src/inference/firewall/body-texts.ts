import { failOnFaults } from '../../kernel/errors/fail.js';
import type { UnreadKind } from '../../kernel/firewall/contents.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { Joint } from './base64-joint.js';
import { decodedAt } from './decoded.js';
import type { Encoded } from './encoded-text.js';
import type { Encoding } from './mask.js';
import { changedEach, changedMembers } from './rewrite.js';
import {
  isMedium,
  isNumbers,
  isOpaque,
  kindOfPart,
  type Ordinary,
  ordinaryBelow,
  ordinaryInBody,
  refersAway,
  refersById,
  refersByNumber,
  type Seen,
  type Unread,
  unreadIn,
  unreadNumbers,
  unreadPart,
} from './unread.js';
import { CLOSED_VALUES, readableNumber, WIRE_NAMES } from './unread-positions.js';
import { type EmbeddedReader, unlessOrdinary, withEmbedded } from './with-embedded.js';

/**
 * What is shown every name, text and number of a request that leaves, in an order that depends on
 * the request alone. Each call answers with what is to stand instead.
 */
export interface TextVisitor {
  /**
   * A text that is judged by itself. Foreign is what a user or a tool wrote, and said is what a
   * model reads as its prompt: one text right behind the other.
   */
  alone(text: string, encoding: Encoding, isForeign: boolean, isSaid: boolean): string;
  /** What is said from here on belongs to another message, or is embedded by itself. */
  next(): void;
  /** Token arrays, as they stand in the request. */
  tokens(input: readonly unknown[]): unknown;
  /** Content that nothing reads. */
  unread(content: Unread): void;
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

const IS_BASE64 = /^[\w+/=-]*$/;

/** How deep the content of a message stands in it. */
const CONTENT_LEVEL = 2;

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
  return new RequestWalk(visitor).body(body);
}

class RequestWalk {
  /** The member of the body that is being read. */
  private member = '';
  /** Of the message that is being read. */
  private isForeign = false;
  private isMessage = false;
  private isContent = false;
  /** Of the message and of its part that are being read, where there are any. */
  private messageIndex = 0;
  private partIndex: number | undefined;
  /** Of the contents that were read before. */
  private readonly joint = new Joint();
  /** What was seen of the content part that is being read; undefined outside and in texts. */
  private part: Seen | undefined;
  /** What is not judged of the member that is being read, because the wire has it there. */
  private ordinary: Ordinary = 'nothing';

  constructor(private readonly visitor: TextVisitor) {}

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
    if (name === 'messages') return changedEach(value, this.message);
    if (name === 'model' && typeof value === 'string') return value;
    if (name === 'seed' && Number.isInteger(value)) return value;
    if (name === 'input') return this.input(value);
    if (name === 'prediction') return this.withContent(value);
    return this.below(ordinaryInBody(name), name, value, 1);
  }

  private readonly message = (value: unknown, index: number): unknown => {
    const given = asObject(value);
    this.isMessage = true;
    this.messageIndex = index;
    this.isForeign = FOREIGN_ROLES.has(String(given?.role));
    this.visitor.next();
    this.visitor.begin(this.isForeign);
    // The sound of an earlier answer lies with the provider.
    if (given?.audio != null) this.seen('audio');
    const rewritten = this.withContent(value);
    this.visitor.end();
    this.isForeign = false;
    this.isMessage = false;
    return rewritten;
  };

  private withContent(value: unknown): unknown {
    const given = asObject(value);
    if (!given) return this.value('', value, 1);
    return changedMembers(given, this.name, (name, member) =>
      name === 'content' ? this.content(member, 2) : this.nested(name, member, 2),
    );
  }

  /** A text, or content parts whose texts are read like it. */
  private content(value: unknown, level: number): unknown {
    if (typeof value !== 'string' && !Array.isArray(value)) {
      return this.value('content', value, level);
    }
    if (level > LEVELS_MAX) return refuseDepth(this.member);
    this.isContent = true;
    if (typeof value !== 'string') this.seenNumbers('content', value);
    const rewritten =
      typeof value === 'string'
        ? this.alone(value)
        : changedEach(value, (part, index) => {
            if (level === CONTENT_LEVEL) this.partIndex = index;
            return this.contentPart(part, level + 1);
          });
    if (level === CONTENT_LEVEL) this.partIndex = undefined;
    this.isContent = level > CONTENT_LEVEL;
    return rewritten;
  }

  private contentPart(part: unknown, level: number): unknown {
    if (typeof part === 'string') return this.alone(part);
    const given = asObject(part);
    if (!given) return this.value('content', part, level);
    const kind = kindOfPart(given);
    const outer = this.part;
    const seen = kind === 'text' ? undefined : { isRead: false, refers: false, unread: undefined };
    this.part = seen;
    const rewritten = changedMembers(given, this.name, (name, member) => {
      const isText = (name === 'text' || name === 'refusal') && typeof member === 'string';
      if (isText) return this.alone(member);
      if (name === 'content') return this.content(member, level);
      const isCall = name === 'input' && given.type === 'tool_use';
      const ordinary = isCall ? 'all' : ordinaryBelow(name, this.member, true);
      return this.below(ordinary, name, member, level + 1);
    });
    this.part = outer;
    const unread = seen && unreadPart(kind as Exclude<typeof kind, 'text'>, seen);
    if (unread) this.seen(unread);
    return rewritten;
  }

  /**
   * What embeddings are made of. Numbers are tokens there, whatever other members the body has.
   */
  private input(value: unknown): unknown {
    if (!Array.isArray(value)) {
      if (typeof value !== 'string') return this.value('input', value, 1);
      this.isContent = true;
      const read = this.alone(value);
      this.isContent = false;
      return read;
    }
    if (value.length > 0 && isNumbers(value)) {
      const read = this.visitor.tokens(value);
      // No encoding has a token with so many digits: what may be an identifier is read as a number.
      if (!value.flat().some((number) => readableNumber(number) !== undefined)) return read;
    } else this.seenNumbers('input', value);
    this.isContent = true;
    const rewritten = changedEach(value, (element, index) => {
      this.partIndex = index;
      this.visitor.next();
      return this.contentPart(element, 3);
    });
    this.isContent = false;
    this.partIndex = undefined;
    return rewritten;
  }

  private alone(text: string): string {
    const standing = this.visitor.alone(text, 'plain', this.isForeign, this.isContent);
    // The halves are read, and not what only both of them say.
    if (this.isContent && this.joint.add(text)) this.seen('file');
    return withEmbedded(text, standing, this.embedded);
  }

  /** @param isJudged true where the whole is judged by the name of its member */
  private embeddedWithin(isJudged: boolean): EmbeddedReader {
    return unlessOrdinary(this.embedded, isJudged, this.ordinary === 'all');
  }

  /** Decoded base64 is no neighbour of other texts. */
  private readonly embedded: EmbeddedReader = {
    read: (text) => this.visitor.alone(text, 'plain', this.isForeign, false),
    unread: ({ kind }) => this.seen(kind),
  };

  private seen(kind: UnreadKind): void {
    if (this.part) this.part.unread ??= kind;
    else this.visitor.unread({ kind, place: this.place() });
  }

  private place(): string {
    const within = this.isMessage ? `messages.${this.messageIndex}` : this.member;
    if (this.partIndex === undefined) return within;
    return `${within}${this.isMessage ? '.content' : ''}.${this.partIndex}`;
  }

  private readonly name = (name: string): string => {
    if (!WIRE_NAMES.has(name)) {
      return withEmbedded(name, this.visitor.name(name), this.embeddedWithin(false));
    }
    this.visitor.known(name);
    return name;
  };

  /** Any value at any depth, with the name of the member that it stands in. */
  private value(name: string, value: unknown, level: number): unknown {
    if (typeof value === 'string') return this.text(name, value);
    if (typeof value === 'number') {
      if (refersByNumber(name)) this.seenReference();
      const written = readableNumber(value, name);
      return written === undefined ? value : this.visitor.number(value, written);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (level > LEVELS_MAX) return refuseDepth(this.member);
    if (Array.isArray(value)) {
      this.seenNumbers(name, value);
      return changedEach(value, (element) => this.element(name, element, level + 1));
    }
    const members = value as JsonObject;
    this.seenNumbers(name, members);
    if (this.ordinary !== 'all' && isMedium(members)) return this.contentPart(members, level);
    return changedMembers(members, this.name, (inner, member) =>
      this.nested(inner, member, level + 1, name),
    );
  }

  /** An element of a list, whose lists are part of it. */
  private element(name: string, value: unknown, level: number): unknown {
    if (!Array.isArray(value)) return this.value(name, value, level);
    if (level > LEVELS_MAX) return refuseDepth(this.member);
    return changedEach(value, (element) => this.element(name, element, level + 1));
  }

  /** A member of an object that stands in another member, its owner. */
  private nested(name: string, value: unknown, level: number, owner = ''): unknown {
    if (refersById(owner, name, value)) this.seenReference();
    const isPart = this.partIndex !== undefined;
    return this.below(ordinaryBelow(name, this.member, isPart), name, value, level);
  }

  /** A value of which something is ordinary; what is ordinary around it stays so. */
  private below(ordinary: Ordinary, name: string, value: unknown, level: number): unknown {
    const outer = this.ordinary;
    if (outer !== 'all' && ordinary !== 'nothing') this.ordinary = ordinary;
    const rewritten = this.value(name, value, level);
    this.ordinary = outer;
    return rewritten;
  }

  private seenNumbers(name: string, value: object): void {
    const isOrdinary = this.ordinary === 'all';
    if (isOrdinary && !this.isMessage) return;
    // All that is ordinary in a message is what a tool is called with.
    const unread = unreadNumbers(name, value, isOrdinary);
    if (unread) this.seen(unread);
  }

  private text(name: string, text: string): string {
    if (CLOSED_VALUES.has(text)) return text;
    if (name === 'arguments') {
      return withEmbedded(text, this.visitor.alone(text, 'json', false, true), this.embedded);
    }
    if (this.isMessage && REFERENCES.has(name)) {
      return withEmbedded(text, this.visitor.alone(text, 'plain', false, false), this.embedded);
    }
    const encoded = decodedAt(name, text);
    this.seenText(name, text, encoded);
    if (encoded === undefined) {
      const reader = this.embeddedWithin(IS_BASE64.test(text));
      return withEmbedded(text, this.visitor.text(text), reader);
    }
    const standing = encoded.isReadable ? this.visitor.text(text) : text;
    if (encoded.kind === 'binary') return standing;
    const read = this.alone(encoded.text);
    if (read === encoded.text) return standing;
    // Masked in one reading it would still show the other: then nothing of it leaves.
    return standing === text ? encoded.encode(read) : encoded.encode('');
  }

  private seenText(name: string, text: string, encoded: Encoded | undefined): void {
    const { part, ordinary } = this;
    const isBytes = ordinary !== 'all' && encoded === undefined && isOpaque(name, text);
    const unread = unreadIn(name, text, encoded) ?? (isBytes ? 'file' : undefined);
    if (unread) this.seen(unread);
    else if (part && encoded) part.isRead = true;
    if ((part || !unread) && refersAway(name, text)) this.seenReference();
  }

  /** Something is named that lies elsewhere. */
  private seenReference(): void {
    if (this.part) this.part.refers = true;
    else if (this.ordinary === 'nothing') this.seen('file');
  }
}

function refuseDepth(path: string): never {
  const message = `${path} is nested more than ${LEVELS_MAX} levels deep.`;
  failOnFaults([{ path, code: 'out_of_range', message }]);
  throw new TypeError(message);
}
