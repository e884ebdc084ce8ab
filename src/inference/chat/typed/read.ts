import { asObject, type JsonObject } from '../../../kernel/json.js';
import { type MicroRub, parseRub } from '../../../kernel/money.js';

// An answer that was charged must never fail because of what a provider wrote into it, so that
// each reader gives null for a value of another type.

type Reader<T> = (value: JsonObject) => T | null;

/** Reads a text. */
export function textAt(name: string): Reader<string> {
  return (value) => (typeof value[name] === 'string' ? (value[name] as string) : null);
}

/** Reads a whole number that GraphQL can carry. */
export function intAt(name: string): Reader<number> {
  return (value) => {
    const member = value[name];
    return Number.isInteger(member) && Math.abs(member as number) < 2 ** 31
      ? (member as number)
      : null;
  };
}

/** Reads a number. */
export function floatAt(name: string): Reader<number> {
  return (value) => (Number.isFinite(value[name]) ? (value[name] as number) : null);
}

/** Reads true or false. */
export function flagAt(name: string): Reader<boolean> {
  return (value) => (typeof value[name] === 'boolean' ? (value[name] as boolean) : null);
}

/** Reads rubles. */
export function rubAt(name: string): Reader<MicroRub> {
  return (value) => {
    const member = value[name];
    return typeof member === 'number' ? (parseRub(String(member)) ?? null) : null;
  };
}

/** Reads an object. */
export function objectAt(name: string): Reader<JsonObject> {
  return (value) => asObject(value[name]) ?? null;
}

/** Reads the objects of a list; nothing where there is none. */
export function listAt(name: string): (value: JsonObject) => JsonObject[] {
  return (value) => {
    const member = value[name];
    return Array.isArray(member) ? member.filter((each) => asObject(each)) : [];
  };
}

/** Reads any value. */
export function valueAt(name: string): (value: JsonObject) => unknown {
  return (value) => value[name] ?? null;
}
